/** Keeps what a measurement found, as `bench-results/<name>.json`. */
import { mkdirSync, writeFileSync } from 'node:fs';

export function saveResult(name: string, result: unknown): void {
  mkdirSync('bench-results', { recursive: true });
  writeFileSync(`bench-results/${name}.json`, `${JSON.stringify(result, null, 2)}\n`);
}
