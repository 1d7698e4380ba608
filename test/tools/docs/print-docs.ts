/** Writes the generated pages of `docs`: `npx tsx test/tools/docs/print-docs.ts`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { siteFileJsonSchema } from '../../../src/cli/site-file/document.ts';
import { cliMarkdown } from './cli-docs.ts';
import { errorsMarkdown } from './error-docs.ts';
import { observabilityMarkdown } from './metric-docs.ts';
import { optionsMarkdown } from './option-docs.ts';
import { providersMarkdown } from './provider-docs.ts';

writeFileSync(new URL('../../../docs/cli.md', import.meta.url), cliMarkdown());
writeFileSync(new URL('../../../docs/errors.md', import.meta.url), errorsMarkdown());
writeFileSync(new URL('../../../docs/options.md', import.meta.url), optionsMarkdown());
writeFileSync(new URL('../../../docs/site.schema.json', import.meta.url), siteFileJsonSchema());
writeFileSync(new URL('../../../docs/providers.md', import.meta.url), providersMarkdown());

const observability = new URL('../../../docs/observability.md', import.meta.url);
writeFileSync(observability, observabilityMarkdown(readFileSync(observability, 'utf8')));
