/** Folders for tests; `left-behind.ts` removes them after the file that made them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const made: string[] = [];

export function tempFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'gateway-test-'));
  made.push(folder);
  return folder;
}

export function removeTempFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}
