/**
 * `npm run fuzz -- --minutes 30 [--only sse] [--seed 7]` runs every property of this folder for an
 * equal share of the time and prints the number of cases. A failure prints its seed and its case.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process, { env, stdout } from 'node:process';
import { parseArgs } from 'node:util';

const HERE = import.meta.dirname;
const WORKERS = 2;

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    only: { type: 'string', default: '' },
    seed: { type: 'string' },
  },
});
const minutes = Number(flags.minutes);
if (!(minutes > 0)) throw new Error('--minutes must be a number above 0');

const files = (await readdir(HERE)).filter(
  (file) => file.endsWith('.test.ts') && file.startsWith(flags.only),
);
if (files.length === 0) throw new Error(`no parser is called ${flags.only}`);
const counts = await Promise.all(files.map(propertiesIn));
const properties = counts.reduce((sum, count) => sum + count, 0);
const workers = Math.min(WORKERS, files.length);
const shareMs = Math.round((minutes * 60_000 * workers) / properties);

const folder = await mkdtemp(path.join(tmpdir(), 'gateway-fuzz-'));
try {
  const report = path.join(folder, 'report');
  const words = ['vitest', 'run', ...files.map((file) => path.join(HERE, file))];
  const fuzzing = {
    FUZZ_MS: String(shareMs),
    FUZZ_REPORT: report,
    ...(flags.seed && { FUZZ_SEED: flags.seed }),
  };
  const child = spawn('npx', words, { stdio: 'inherit', env: { ...env, ...fuzzing } });
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
  const lines = (await readFile(report, 'utf8').catch(() => '')).split('\n').filter(Boolean);
  const tried = lines.reduce((sum, line) => sum + Number(JSON.parse(line)[1]), 0);
  stdout.write(`${tried} cases of ${lines.length} properties, ${shareMs} ms each\n`);
} finally {
  await rm(folder, { recursive: true });
}

async function propertiesIn(file: string): Promise<number> {
  const text = await readFile(path.join(HERE, file), 'utf8');
  return text.match(/^ *holds\(/gm)?.length ?? 0;
}
