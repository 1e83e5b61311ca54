package wire

import (
	"bytes"
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"hotpath/impl/ipc/pb"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func marshal(t testing.TB, m proto.Message) []byte {
	t.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sameVerdict reports whether a message is accepted by both, and fails unless
// protobuf-go's verdict on data is ours, except for what this package refuses on
// purpose.
func sameVerdict(t *testing.T, data []byte, ours error, m proto.Message) bool {
	theirs := proto.Unmarshal(data, m)
	switch {
	case ours == nil && theirs == nil:
		return true
	case ours == nil:
		t.Fatalf("%x: accepted, protobuf says %v", data, theirs)
	case theirs == nil && !refused(m.ProtoReflect()):
		t.Fatalf("%x: %v, protobuf accepts %v", data, ours, m)
	}
	return false
}

// refused reports a group, or a cell block of 2 GiB, anywhere in m.
func refused(m protoreflect.Message) bool {
	if meta, ok := m.Interface().(*pb.CellBlockMeta); ok && meta.GetLength() > math.MaxInt32 {
		return true
	}
	for unknown := m.GetUnknown(); len(unknown) > 0; {
		_, wire, n := protowire.ConsumeField(unknown)
		if wire == protowire.StartGroupType {
			return true
		}
		unknown = unknown[n:]
	}
	found := false
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		found = found || f.Message() != nil && refused(v.Message())
		return !found
	})
	return found
}

func cellBlock(m *pb.CellBlockMeta) int {
	if m == nil {
		return -1
	}
	return int(m.GetLength())
}

// addSeeds adds sound messages, each of them cut at every byte, and broken ones.
func addSeeds(f *testing.F, sound ...[]byte) {
	for _, b := range sound {
		for n := range len(b) + 1 {
			f.Add(b[:n])
		}
	}
	for _, s := range []string{
		"00",                       // field 0
		"0b0c",                     // a group
		"7a03010203",               // an unknown field
		"080708ff",                 // a known field twice, the second cut
		"0a0108",                   // a known field in another wire type
		"88888888888888888802",     // a tag over 64 bits
		"0880808080808080808001",   // a varint of ten bytes
		"0880808080808080808002",   // and one over 64 bits
		"0d01020304",               // fixed32
		"0901020304050607",         // fixed64, cut
		"2a0608ffffffff0f",         // a cell block of 4 GiB
		"2a0608ffffffff0f2a02081c", // which a later length replaces
		"1aff",                     // a length cut
		"f8ffffff0f01",             // the largest field number
		"f8ffffff1f01",             // and one more
		"2a02081c2a00",             // a message merged with an empty one
		"1a0030",
		"0f00",
	} {
		f.Add(unhex(f, s))
	}
}

func FuzzRequestHeader(f *testing.F) {
	addSeeds(f,
		unhex(f, "08011a064d757461746520012a02081c"),
		marshal(f, &pb.RequestHeader{
			CallId:        proto.Uint32(math.MaxUint32),
			TraceInfo:     &pb.RPCTInfo{TraceId: proto.Int64(-1), ParentId: proto.Int64(5)},
			MethodName:    proto.String("echo"),
			RequestParam:  proto.Bool(true),
			CellBlockMeta: &pb.CellBlockMeta{Length: proto.Uint32(102_730)},
			Priority:      proto.Uint32(1000),
		}))
	f.Fuzz(func(t *testing.T, data []byte) {
		var h RequestHeader
		var m pb.RequestHeader
		if !sameVerdict(t, data, h.Parse(data), &m) {
			return
		}
		equal := func(h *RequestHeader, m *pb.RequestHeader) {
			t.Helper()
			if h.CallID != m.GetCallId() || string(h.Method) != m.GetMethodName() || h.HasParam != m.GetRequestParam() ||
				h.CellBlock != cellBlock(m.CellBlockMeta) || h.Priority != m.GetPriority() {
				t.Fatalf("%x: %+v, protobuf reads %v", data, h, m)
			}
		}
		equal(&h, &m)
		if cap(h.Method) != len(h.Method) {
			t.Fatalf("%x: a method of %d bytes that could grow to %d", data, len(h.Method), cap(h.Method))
		}

		encoded := h.AppendTo(nil)
		if len(encoded) != h.Size() {
			t.Fatalf("%+v: size %d, encoded %x", h, h.Size(), encoded)
		}
		var back pb.RequestHeader
		if err := proto.Unmarshal(encoded, &back); err != nil {
			t.Fatalf("%+v: encoded %x: %v", h, encoded, err)
		}
		equal(&h, &back)
	})
}

func FuzzResponseHeader(f *testing.F) {
	addSeeds(f,
		marshal(f, &pb.ResponseHeader{CallId: proto.Uint32(7), CellBlockMeta: &pb.CellBlockMeta{}}),
		marshal(f, &pb.ResponseHeader{
			CallId: proto.Uint32(math.MaxUint32), // -1, the answer to a bad preamble
			Exception: &pb.ExceptionResponse{
				ExceptionClassName: proto.String("java.io.IOException"),
				StackTrace:         proto.String("java.io.IOException: no\n\tat here"),
				Hostname:           proto.String("elsewhere"),
				Port:               proto.Int32(-60020),
				DoNotRetry:         proto.Bool(true),
			},
		}))
	f.Fuzz(func(t *testing.T, data []byte) {
		var h ResponseHeader
		var m pb.ResponseHeader
		if !sameVerdict(t, data, h.Parse(data), &m) {
			return
		}
		equal := func(h *ResponseHeader, m *pb.ResponseHeader) {
			t.Helper()
			if h.CallID != int32(m.GetCallId()) || h.CellBlock != cellBlock(m.CellBlockMeta) || (h.Exception == nil) != (m.Exception == nil) {
				t.Fatalf("%x: %+v, protobuf reads %v", data, h, m)
			}
			if h.Exception == nil {
				return
			}
			theirs := Exception{
				Class:      m.Exception.GetExceptionClassName(),
				StackTrace: m.Exception.GetStackTrace(),
				Host:       m.Exception.GetHostname(),
				Port:       m.Exception.GetPort(),
				DoNotRetry: m.Exception.GetDoNotRetry(),
			}
			if *h.Exception != theirs {
				t.Fatalf("%x: %+v, protobuf reads %+v", data, h.Exception, theirs)
			}
		}
		equal(&h, &m)

		encoded := h.AppendTo(nil)
		if len(encoded) != h.Size() {
			t.Fatalf("%+v: size %d, encoded %x", h, h.Size(), encoded)
		}
		var back pb.ResponseHeader
		if err := proto.Unmarshal(encoded, &back); err != nil {
			t.Fatalf("%+v: encoded %x: %v", h, encoded, err)
		}
		equal(&h, &back)
	})
}

func FuzzConnectionHeader(f *testing.F) {
	addSeeds(f,
		marshal(f, &pb.ConnectionHeader{
			UserInfo:                 &pb.UserInformation{EffectiveUser: proto.String("root"), RealUser: proto.String("admin")},
			ServiceName:              proto.String("ClientService"),
			CellBlockCodecClass:      proto.String("org.apache.hadoop.hbase.codec.KeyValueCodec"),
			CellBlockCompressorClass: proto.String("none"),
		}),
		unhex(f, "0a00"),               // a user without a name
		unhex(f, "0a030a01750a021200"), // a named user, merged with one without
	)
	f.Fuzz(func(t *testing.T, data []byte) {
		var h ConnectionHeader
		var m pb.ConnectionHeader
		if !sameVerdict(t, data, h.Parse(data), &m) {
			return
		}
		equal := func(h *ConnectionHeader, m *pb.ConnectionHeader) {
			t.Helper()
			if string(h.User) != m.GetUserInfo().GetEffectiveUser() || string(h.Service) != m.GetServiceName() ||
				string(h.Codec) != m.GetCellBlockCodecClass() || string(h.Compressor) != m.GetCellBlockCompressorClass() {
				t.Fatalf("%x: %+v, protobuf reads %v", data, h, m)
			}
		}
		equal(&h, &m)
		var back pb.ConnectionHeader
		if err := proto.Unmarshal(h.AppendTo(nil), &back); err != nil {
			t.Fatalf("%+v: %v", h, err)
		}
		equal(&h, &back)
	})
}

// TestRecordedHeaders reads what gohbase sends.
func TestRecordedHeaders(t *testing.T) {
	var c ConnectionHeader
	hello := "0a060a04726f6f74120d436c69656e74536572766963651a2b6f72672e6170616368652e6861646f6f702e68626173652e636f6465632e4b657956616c7565436f646563"
	if err := c.Parse(unhex(t, hello)); err != nil || string(c.User) != "root" || string(c.Service) != "ClientService" ||
		string(c.Codec) != "org.apache.hadoop.hbase.codec.KeyValueCodec" || c.Compressor != nil {
		t.Errorf("connection: %q, %v", c, err)
	}
	var q RequestHeader
	if err := q.Parse(unhex(t, "08011a064d757461746520012a02081c")); err != nil ||
		q.CallID != 1 || string(q.Method) != "Mutate" || !q.HasParam || q.CellBlock != 28 || q.Priority != 0 {
		t.Errorf("put: %+v, %v", q, err)
	}
	if err := q.Parse(unhex(t, "08021a034765742001")); err != nil ||
		q.CallID != 2 || string(q.Method) != "Get" || !q.HasParam || q.CellBlock != -1 {
		t.Errorf("get: %+v, %v", q, err)
	}
}

func TestHeaderErrors(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"0801 1b", "request header: byte 2: wire type 3"},
		{"0801 00", "request header: byte 2: field number 0"},
		{"0801 1a05 6563", "request header: byte 4: length runs past the end"},
		{"0801 2a02 08ff", "request header: field 5: byte 1: varint runs past the end or over 64 bits"},
		{"0801 1202 0a01", "request header: field 2: byte 2: length runs past the end"},
		{"2a06 08ffffffff0f", "request header: cell block of 4294967295 bytes"},
	} {
		var h RequestHeader
		err := h.Parse(unhex(t, strings.ReplaceAll(tt.in, " ", "")))
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", tt.in, err, tt.want)
		}
	}
}

func TestDelimited(t *testing.T) {
	msg, rest, err := Delimited(unhex(t, "03616263"+"6465"))
	if err != nil || string(msg) != "abc" || cap(msg) != 3 || string(rest) != "de" {
		t.Errorf("%q (cap %d) %q %v", msg, cap(msg), rest, err)
	}
	for _, in := range []string{"", "80", "0461", "ffffffffffffffffff01", "ffffffffffffffffff02"} {
		if _, _, err := Delimited(unhex(t, in)); err == nil {
			t.Errorf("%s: no error", in)
		}
	}
}

func TestHeadersAllocateNothing(t *testing.T) {
	request := (&RequestHeader{CallID: 300, Method: []byte("echo"), HasParam: true, CellBlock: 102_730, Priority: 1}).AppendTo(nil)
	response := (&ResponseHeader{CallID: 300, CellBlock: 102_730}).AppendTo(nil)
	connection := (&ConnectionHeader{User: []byte("u"), Service: []byte("s")}).AppendTo(nil)
	buf := make([]byte, 0, 64)
	allocs := testing.AllocsPerRun(100, func() {
		var q RequestHeader
		var p ResponseHeader
		var c ConnectionHeader
		if q.Parse(request) != nil || p.Parse(response) != nil || c.Parse(connection) != nil {
			t.Error("refused")
		}
		if !bytes.Equal(q.AppendTo(buf), request) || !bytes.Equal(p.AppendTo(buf), response) || !bytes.Equal(c.AppendTo(buf), connection) {
			t.Error("encoded differently")
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}
