namespace go echokitex

// Message is what every peer sends and is answered: a line of text and cells,
// each the bytes of one KeyValue, as a cell block carries them.
struct Message {
  1: string text
  2: list<binary> cells
}

// Echo answers what it is sent.
service Echo {
  Message echo(1: Message message)
}
