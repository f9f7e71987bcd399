import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const folder = fileURLToPath(new URL('./values/', import.meta.url));
/** What each test run renders; `npm run soak` renders them all. */
const often = ['defaults', 'team', 'namespaces'];

export type ChartValues = Record<string, unknown>;

export const valueFiles: string[] =
  process.env.SHIPLOG_EVERYTHING === '1'
    ? readdirSync(folder).map((name) => name.replace(/\.yaml$/, ''))
    : often;

export function readValues(name: string): ChartValues {
  return parse(readFileSync(`${folder}${name}.yaml`, 'utf8')) as ChartValues;
}
