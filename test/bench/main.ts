/**
 * `npm run bench`: what a call and a streamed event cost, beside the bare mock and nginx in the same
 * run, with keys, limits, billing and logs on. The rounds are interleaved; read the ratios.
 *
 *   --quick             a short run, for trying
 *   --pairs             only the streams between dialects
 *   --workers 2         one process beside two that share its port, each on a share of a core
 *   --logs              a log of a million lines; --rows and --db say of how many, and where
 *   --tables            what a page of 100 rows costs the browser
 *   --ratio [--keep]    beside a relay of nothing, against the committed baseline (or: write it)
 *   --bodies            bodies made to be expensive, and what of the memory they take;
 *                       --shape gzip takes those whose name holds the word
 *   --sign-ins          calls beside sixty people who sign in at once
 *   --soak MINUTES      long streams and aborts, and what of the memory stays
 */
import { parseArgs } from 'node:util';

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    pairs: { type: 'boolean', default: false },
    logs: { type: 'boolean' },
    tables: { type: 'boolean' },
    profile: { type: 'boolean' },
    web: { type: 'string' },
    against: { type: 'string' },
    list: { type: 'string' },
    ratio: { type: 'boolean' },
    keep: { type: 'boolean', default: false },
    workers: { type: 'string' },
    rows: { type: 'string' },
    db: { type: 'string' },
    soak: { type: 'string' },
    bodies: { type: 'boolean' },
    shape: { type: 'string', default: '' },
    'sign-ins': { type: 'boolean' },
  },
});

// Loaded on demand: the ratio, which the gate measures, needs no database server.
if (flags.logs) await import('./logs.ts');
else if (flags.workers !== undefined) await import('./workers.ts');
else if (flags.tables) await import('./tables.ts');
else if (flags.ratio) await (await import('./ratio.ts')).compareWithBaseline(flags.keep);
else if (flags.bodies) await (await import('./bodies.ts')).measureBodies(flags.shape);
else if (flags['sign-ins']) await (await import('./sign-ins.ts')).measureSignIns();
else if (flags.soak !== undefined) await (await import('./soak.ts')).soak(Number(flags.soak));
else await (await import('./whole.ts')).measure(flags);
