/** Writes `docs/cli.md`: `npx tsx src/cli/print-docs.ts`. */
import { writeFileSync } from 'node:fs';
import { cliMarkdown } from './docs.ts';

writeFileSync(new URL('../../docs/cli.md', import.meta.url), cliMarkdown());
