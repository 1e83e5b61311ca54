// A client that nobody here wrote talks to the server at argv[3]:argv[4]; argv[2]
// is the folder where npm installed hbase-rpc-client. One JSON object on stdout.
'use strict';

const path = require('path');
const modules = path.join(process.argv[2], 'node_modules');

require(path.join(modules, 'protobufjs')).convertFieldsToCamelCase = true;
const Connection = require(path.join(modules, 'hbase-rpc-client', 'lib', 'connection.js'));

const region = {type: 'REGION_NAME', value: 'table,,1'};
const buffer = (b) => Buffer.from(b.toBuffer());

const conn = new Connection({
  host: process.argv[3],
  port: Number(process.argv[4]),
  effectiveUser: 'root',
  callTimeout: 10000,
});

const call = (method, request) => new Promise((resolve, reject) => {
  conn.rpc[method](request, (err, response) => err ? reject(err) : resolve(response));
});

const put = (row, values) => ({
  region,
  mutation: {
    row,
    mutateType: 'PUT',
    columnValue: [{
      family: 'f',
      qualifierValue: values.map((value, i) => ({qualifier: 'q' + i, value, timestamp: 1})),
    }],
  },
});

const cells = (result) => result.cell.map((c) => ({
  row: buffer(c.row).toString(),
  family: buffer(c.family).toString(),
  qualifier: buffer(c.qualifier).toString(),
  timestamp: c.timestamp.toString(),
  type: c.cellType,
  value: buffer(c.value).toString('base64'),
}));

const run = async () => {
  const out = {};

  const values = [];
  for (let i = 0; i < 10; i++) values.push(Buffer.alloc(10 * 1024, i));
  out.processed = (await call('Mutate', put('r', values))).processed;
  out.got = cells((await call('Get', {region, gxt: {row: 'r'}})).result);

  // Many calls on the wire before the first answer.
  const all = [];
  for (let i = 0; i < 100; i++) {
    all.push(call('Mutate', put('p' + i, ['v' + i])).then(() => call('Get', {region, gxt: {row: 'p' + i}})));
  }
  out.pipelined = (await Promise.all(all)).map((r) => buffer(r.result.cell[0].value).toString());

  const actions = ['r', 'p7'].map((row, index) => ({index, gxt: {row}}));
  const multi = await call('Multi', {regionAction: [{region, action: actions}]});
  out.multi = multi.regionActionResult[0].resultOrException.map((r) => r.result.cell.length);

  const scan = await call('Scan', {region, numberOfRows: 1000});
  out.scanned = scan.results.length;

  out.empty = cells((await call('Get', {region, gxt: {row: 'absent'}})).result);
  try {
    await call('Get', {region, gxt: {row: 'no such region'}});
  } catch (e) {
    out.exception = {className: e.exceptionClassName, stackTrace: e.stackTrace, doNotRetry: e.doNotRetry};
  }
  out.after = cells((await call('Get', {region, gxt: {row: 'p7'}})).result).length;
  return out;
};

const end = (err, out) => {
  conn.removeAllListeners('close');
  conn.socket.destroy();
  if (err) {
    console.error(err);
    process.exitCode = 1;
    return;
  }
  console.log(JSON.stringify(out));
};

conn.on('connect', () => run().then((out) => end(null, out), (err) => end(err)));
conn.on('close', () => end(new Error('the server closed the connection')));
