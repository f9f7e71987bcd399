/*
 * Writes what an archive in SQLite has of some workloads, as a fixture: a line of JSON with the schema, then for each
 * table a line with its columns and a line for each row. It imports nothing of Shiplog, so that it reads the archive of
 * every version. README.md tells how a version comes to have an archive.
 *
 * node write.mjs ARCHIVE.db NAMESPACE/NAME… > VERSION.ndjson
 */
import { DatabaseSync } from 'node:sqlite';

const [file, ...workloads] = process.argv.slice(2);
const database = new DatabaseSync(file, { readOnly: true });
const all = (query, ...values) => database.prepare(query).all(...values);

const tables = all("select name, sql from sqlite_master where sql is not null and name not like 'sqlite_%'");
const number = all('select max(number) as number from migration')[0].number;
print({ schema: number, create: tables.map(({ sql }) => sql) });

const names = JSON.stringify(workloads);
const owners = tables.some(({ name }) => name === 'incarnation') ? 'incarnation' : 'life';
const lives = `select uid from ${owners} where namespace || '/' || name in (select value from json_each('${names}'))`;
const records = `select seq from record where workload_uid in (${lives})`;
const rowsOf = {
  [owners]: `uid in (${lives})`,
  revision: `workload_uid in (${lives})`,
  activation: `workload_uid in (${lives})`,
  body: `hash in (select hash from revision where workload_uid in (${lives})
    union select from_hash from record where seq in (${records}) union select to_hash from record where seq in (${records}))`,
  record: `seq in (${records})`,
  record_document: `seq in (${records})`,
  record_term: `seq in (${records})`,
  review: `seq in (${records})`,
  comment: `seq in (${records})`,
};
/** Rows that other tables refer to come first. */
const order = Object.keys(rowsOf);
const rank = ({ name }) => (order.includes(name) ? order.indexOf(name) : order.length);
const isTable = ({ sql }) => /^create table/i.test(sql);
for (const { name } of tables.filter(isTable).toSorted((a, b) => rank(a) - rank(b))) {
  const columns = all(`select name from pragma_table_info('${name}')`).map((column) => column.name);
  print({ table: name, columns });
  for (const row of all(`select * from "${name}" where ${rowsOf[name] ?? 'true'} order by 1, 2`))
    print(columns.map((column) => encode(row[column])));
}

function encode(value) {
  return value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value;
}

function print(line) {
  console.log(JSON.stringify(line));
}
