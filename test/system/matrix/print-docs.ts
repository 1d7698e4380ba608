/** Writes `docs/compatibility.md`: `npx tsx test/system/matrix/print-docs.ts`. */
import { writeFileSync } from 'node:fs';
import { compatibilityMarkdown } from './docs.ts';

writeFileSync(new URL('../../../docs/compatibility.md', import.meta.url), compatibilityMarkdown());
