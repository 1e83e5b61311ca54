package ipctest

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"google.golang.org/protobuf/proto"

	"hotpath/impl/ipc"
	"hotpath/internal/ipctest/clientpb"
)

// table is as much of a region server as the clients of others need: rows in
// memory under the names that HBase's ClientService has.
type table struct {
	mu   sync.Mutex
	rows map[string][]ipc.Cell
}

// noSuchRow is a row that the region does not hold.
const noSuchRow = "no such region"

// services has the table under HBase's name.
func (t *table) services() map[string]ipc.Service {
	return map[string]ipc.Service{"ClientService": {
		"Get":    method(t, t.get),
		"Mutate": method(t, t.mutate),
		"Multi":  method(t, t.multi),
		"Scan":   method(t, t.scan),
	}}
}

// method makes a method of ours one of the server's: a request is parsed, and
// the response encoded.
func method[Q any, P interface {
	*Q
	proto.Message
}](t *table, answer func(*ipc.Call, P) (proto.Message, error)) ipc.Method {
	return ipc.Method{Handle: func(c *ipc.Call) error {
		t.mu.Lock()
		defer t.mu.Unlock()
		q := P(new(Q))
		if err := proto.Unmarshal(c.Param(), q); err != nil {
			return err
		}
		result, err := answer(c, q)
		if err != nil {
			return err
		}
		b, err := proto.Marshal(result)
		c.SetMessage(b)
		return err
	}}
}

func (t *table) get(c *ipc.Call, q *clientpb.GetRequest) (proto.Message, error) {
	result, err := t.result(c, q.GetGet())
	return &clientpb.GetResponse{Result: result}, err
}

func (t *table) mutate(c *ipc.Call, q *clientpb.MutateRequest) (proto.Message, error) {
	cells := c.Cells()
	return &clientpb.MutateResponse{Processed: proto.Bool(true)}, t.put(q.GetMutation(), &cells)
}

func (t *table) multi(c *ipc.Call, q *clientpb.MultiRequest) (proto.Message, error) {
	cells := c.Cells()
	m := new(clientpb.MultiResponse)
	for _, region := range q.RegionAction {
		results := new(clientpb.RegionActionResult)
		for _, action := range region.Action {
			r := &clientpb.ResultOrException{Index: action.Index, Result: new(clientpb.Result)}
			var err error
			if action.Get != nil {
				r.Result, err = t.result(c, action.Get)
			} else {
				err = t.put(action.Mutation, &cells)
			}
			if err != nil {
				return nil, err
			}
			results.ResultOrException = append(results.ResultOrException, r)
		}
		m.RegionActionResult = append(m.RegionActionResult, results)
	}
	return m, nil
}

func (t *table) scan(c *ipc.Call, _ *clientpb.ScanRequest) (proto.Message, error) {
	m := &clientpb.ScanResponse{MoreResults: proto.Bool(false)}
	for _, row := range slices.Sorted(maps.Keys(t.rows)) {
		r, err := t.result(c, &clientpb.Get{Row: []byte(row)})
		if err != nil {
			return nil, err
		}
		m.Results = append(m.Results, r)
	}
	return m, nil
}

// result returns a row's cells, in the cell block if the client has a codec for
// one.
func (t *table) result(c *ipc.Call, q *clientpb.Get) (*clientpb.Result, error) {
	if string(q.GetRow()) == noSuchRow {
		return nil, &ipc.Exception{
			Class:      "org.apache.hadoop.hbase.NotServingRegionException",
			StackTrace: "org.apache.hadoop.hbase.NotServingRegionException: " + noSuchRow,
		}
	}
	cells := t.rows[string(q.GetRow())]
	if c.HasCodec() {
		for i := range cells {
			c.AddCell(cells[i].AppendTo(nil))
		}
		return &clientpb.Result{AssociatedCellCount: proto.Int32(int32(len(cells)))}, nil
	}
	result := new(clientpb.Result)
	for _, cell := range cells {
		result.Cell = append(result.Cell, &clientpb.Cell{
			Row:       cell.Row,
			Family:    cell.Family,
			Qualifier: cell.Qualifier,
			Timestamp: proto.Uint64(uint64(cell.Timestamp)),
			CellType:  proto.Int32(int32(cell.Type)),
			Value:     cell.Value,
		})
	}
	return result, nil
}

// put stores copies of the mutation's cells: its own, and the first of block,
// which it takes off.
func (t *table) put(m *clientpb.MutationProto, block *[]ipc.KeyValue) error {
	n := int(m.GetAssociatedCellCount())
	if n > len(*block) {
		return fmt.Errorf("%d cells announced, %d in the cell block", n, len(*block))
	}
	var cells []ipc.Cell
	for _, kv := range (*block)[:n] {
		c, err := ipc.ParseKeyValue(slices.Clone(kv))
		if err != nil {
			return err
		}
		cells = append(cells, c)
	}
	*block = (*block)[n:]
	for _, column := range m.GetColumnValue() {
		for _, q := range column.GetQualifierValue() {
			stamp := uint64(math.MaxInt64)
			if q.Timestamp != nil {
				stamp = q.GetTimestamp()
			}
			cells = append(cells, ipc.Cell{
				Row:       m.GetRow(),
				Family:    column.GetFamily(),
				Qualifier: q.GetQualifier(),
				Timestamp: int64(stamp),
				Type:      4,
				Value:     q.GetValue(),
			})
		}
	}
	if t.rows == nil {
		t.rows = make(map[string][]ipc.Cell)
	}
	t.rows[string(m.GetRow())] = cells
	return nil
}
