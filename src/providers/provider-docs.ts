/** Prints `docs/providers.md` from the rows, so that the two cannot differ. */
import { type ProviderFacts, providerFacts } from './provider-facts.ts';
import type { ProviderRow } from './rows/provider-row.ts';
import { MODELS_AS_OF, PROVIDERS } from './rows/provider-rows.ts';

const INTRO = `# Channel types

Printed by \`npx tsx src/cli/print-docs.ts\` from the rows in \`src/providers\`; a test compares the two.
\`gateway channel types\` and \`GET /api/channel/types\` tell the same. The number is what is stored, the slug
is what \`--type\` takes. Numbers up to 49 are those of existing installations, ours begin at 1001.

- **Dialect**: what is spoken to the provider. Any client may call any of them: what the two sides do not
  share is translated ([dialects.md](dialects.md)).
- **Messages**: clients of Anthropic's Messages are forwarded as they are, at the provider's own address.
  At any other address the channel's setting \`messages_path\` switches it on (\`{"messages_path":"/v1/messages"}\`)
  or, as an empty text, off.
- **Balance**, **Model list**: the provider tells them by the key.

Default models are as of ${MODELS_AS_OF}, from the vendors' pages; no provider was asked. They are a proposal:
what an account may call, the provider's own list says.`;

export function providersMarkdown(): string {
  const sections = [
    ['OpenAI-compatible', (row: ProviderRow) => row.family === 'openai' && row.supported],
    ['Other dialects', (row: ProviderRow) => isOther(row) && row.supported],
    ['Tasks', (row: ProviderRow) => row.family === 'task'],
    ['Not called', (row: ProviderRow) => !row.supported],
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
    const said = remarks(facts);
    return said.length === 0 ? [] : [`### ${facts.name} (${facts.type})`, '', ...said, ''];
  });
  return ['## Keys, fields and remarks', '', ...items].join('\n').trimEnd();
}

function remarks({ keyForm, other, variants, note }: ProviderFacts): string[] {
  return [
    ...(note === '' ? [] : [`- ${note}`]),
    ...(keyForm === '' ? [] : [`- Key: ${keyForm}.`]),
    ...(other === '' ? [] : [`- \`other\`: ${other}.`]),
    ...variants.map((means) => `- ${means[0]?.toUpperCase()}${means.slice(1)}.`),
  ];
}
