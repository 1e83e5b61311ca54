//go:build gc && !portable

#include "textflag.h"

// func fetchToWrite(p unsafe.Pointer)
TEXT ·fetchToWrite(SB), NOSPLIT, $0-8
	MOVQ p+0(FP), AX
	BYTE $0x0F; BYTE $0x0D; BYTE $0x08 // PREFETCHW (AX)
	RET

// func hasPrefetchW() bool
TEXT ·hasPrefetchW(SB), NOSPLIT, $0-1
	MOVL $0x80000000, AX
	CPUID
	CMPL AX, $0x80000001
	JB   no
	MOVL $0x80000001, AX
	CPUID
	SHRL $8, CX
	ANDL $1, CX
	MOVB CX, ret+0(FP)
	RET
no:
	MOVB $0, ret+0(FP)
	RET

// func fetchCells(low *uint8, hits []int)
TEXT ·fetchCells(SB), NOSPLIT, $0-32
	MOVQ low+0(FP), DI
	MOVQ hits_base+8(FP), SI
	MOVQ hits_len+16(FP), CX
	LEAQ (SI)(CX*8), CX
	JMP  more
next:
	MOVQ (SI), AX
	BYTE $0x0F; BYTE $0x0D; BYTE $0x0C; BYTE $0x07 // PREFETCHW (DI)(AX*1)
	ADDQ $8, SI
more:
	CMPQ SI, CX
	JB   next
	RET
