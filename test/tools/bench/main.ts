/**
 * `npm run bench`: the cost of a call and of a streamed event, compared with the upstream alone,
 * nginx, a bare relay and the smallest gateway in the same run, with keys, limits, billing and logs
 * on. Rounds are interleaved; read the ratios.
 *
 *   --quick             a short run for trying out
 *   --floor             only the rows about CPU, database and memory
 *   --ablation [--part word]  what each part costs a call; `word` selects by title
 *   --against DIR       a plain call beside that of an older build
 *   --pairs             only streams between dialects
 *   --nodes 3           calls of one account and of many on several nodes and one PostgreSQL
 *   --logs              a log of a million entries; --rows and --db set number and database
 *   --ratio [--keep]    compared with a minimal relay and the committed baseline (or writes it)
 *   --bodies            expensive bodies and the memory they use;
 *                       --shape gzip selects those whose name contains the word
 *   --sign-ins          calls during sixty simultaneous sign-ins
 *   --soak MINUTES      long streams and aborts, and the memory retained
 */
import { parseArgs } from 'node:util';

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    pairs: { type: 'boolean', default: false },
    floor: { type: 'boolean', default: false },
    ablation: { type: 'boolean' },
    against: { type: 'string' },
    part: { type: 'string', default: '' },
    logs: { type: 'boolean' },
    ratio: { type: 'boolean' },
    keep: { type: 'boolean', default: false },
    nodes: { type: 'string' },
    rows: { type: 'string' },
    db: { type: 'string' },
    soak: { type: 'string' },
    bodies: { type: 'boolean' },
    shape: { type: 'string', default: '' },
    'sign-ins': { type: 'boolean' },
  },
});

// Loaded on demand: the ratio, which the gate measures, needs no database server.
if (flags.logs) await import('./logs/logs.ts');
else if (flags.nodes !== undefined)
  await (await import('./nodes.ts')).measureNodes(Number(flags.nodes), flags.quick);
else if (flags.ablation) await (await import('./ablation/ablation.ts')).measureParts(flags.part);
else if (flags.against !== undefined)
  await (await import('./against.ts')).compareWith(flags.against);
else if (flags.ratio) await (await import('./ratio.ts')).compareWithBaseline(flags.keep);
else if (flags.bodies) await (await import('./bodies/bodies.ts')).measureBodies(flags.shape);
else if (flags['sign-ins']) await (await import('./sign-ins.ts')).measureSignIns();
else if (flags.soak !== undefined) await (await import('./soak.ts')).soak(Number(flags.soak));
else await (await import('./whole.ts')).measure(flags);
