// Package trouble has a contestant for each way in which a fork can go wrong.
package trouble
