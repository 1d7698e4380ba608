/** Generates `docs/providers.md` from the rows, so that the two cannot differ. */
import { type ProviderFacts, providerFacts } from '../../../src/providers/provider-facts.ts';
import type { ProviderRow } from '../../../src/providers/rows/provider-row.ts';
import { MODELS_AS_OF, PROVIDERS } from '../../../src/providers/rows/provider-rows.ts';

const INTRO = `# Channel types

This page lists the providers that a channel can use, with their addresses, dialects and endpoints. It is generated: change
the rows in \`src/providers\` and run \`npx tsx test/tools/docs/print-docs.ts\`. \`gateway channel types\` and
\`GET /api/channel/types\` return the same data. The number is stored in the channel, the slug is the value of \`--type\`.
Numbers up to 49 match those of one-api and its successors; the gateway's own numbers start at 1001.

- **Dialect**: the format of requests to the provider. Every client can call every provider: the gateway translates
  between different dialects ([dialects.md](dialects.md)).
- **Messages**: requests in Anthropic's Messages format are forwarded unchanged at the provider's usual address. For
  another address set \`messages_path\` in the settings of the channel (\`{"messages_path":"/v1/messages"}\`); an empty
  text switches it off.
- **Balance**, **Model list**: the provider reports them for a key.

The default models come from the pages of the vendors (${MODELS_AS_OF}) and were not tested. They are a suggestion: the
provider's own list shows what an account can call.`;

export function providersMarkdown(): string {
  const sections = [
    ['OpenAI-compatible', (row: ProviderRow) => row.family === 'openai' && row.supported],
    ['Other dialects', (row: ProviderRow) => isOther(row) && row.supported],
    ['Tasks', (row: ProviderRow) => row.family === 'task'],
    ['Not supported', (row: ProviderRow) => !row.supported],
  ] as const;
  const parts = sections.map(([title, fits]) => sectionOf(title, PROVIDERS.filter(fits)));
  return [INTRO, ...parts.filter((part) => part !== ''), notes()].join('\n\n').concat('\n');
}

function isOther({ family }: ProviderRow): boolean {
  return family !== 'openai' && family !== 'task';
}

function sectionOf(title: string, rows: readonly ProviderRow[]): string {
  if (rows.length === 0) return '';
  const header = [
    '| Type | Slug | Name | Base URL | Dialect | Endpoints | Messages | Balance | Model list |',
    '|---|---|---|---|---|---|---|---|---|',
  ];
  return [`## ${title}`, '', ...header, ...rows.map(lineOf)].join('\n');
}

function lineOf(row: ProviderRow): string {
  const facts = providerFacts(row);
  const yes = (is: boolean) => (is ? 'yes' : '');
  const endpoints = facts.endpoints.join(', ');
  const { type, slug, name, dialect, takesMessages, tellsBalance, listsModels } = facts;
  const cells = [type, `\`${slug}\``, name, facts.address, dialect, endpoints];
  return `| ${[...cells, yes(takesMessages), yes(tellsBalance), yes(listsModels)].join(' | ')} |`;
}

function notes(): string {
  const items = PROVIDERS.map(providerFacts).flatMap((facts) => {
    const lines = noteLines(facts);
    return lines.length === 0 ? [] : [`### ${facts.name} (${facts.type})`, '', ...lines, ''];
  });
  return ['## Keys, fields and notes', '', ...items].join('\n').trimEnd();
}

function noteLines({ keyForm, other, variants, note }: ProviderFacts): string[] {
  return [
    ...(note === '' ? [] : [`- ${note}`]),
    ...(keyForm === '' ? [] : [`- Key: ${keyForm}.`]),
    ...(other === '' ? [] : [`- \`other\`: ${other}.`]),
    ...variants.map((means) => `- ${means[0]?.toUpperCase()}${means.slice(1)}.`),
  ];
}
