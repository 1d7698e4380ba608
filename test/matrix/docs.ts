/** docs/compatibility.md, from the tables that the tests prove: `npx tsx test/matrix/print-docs.ts`. */
import { readdirSync, readFileSync } from 'node:fs';
import { type NamedTest, namedTests, UNTESTED } from '../pitfalls/list.ts';
import {
  ANTHROPIC_DIFFERENCES,
  GOOGLE_DIFFERENCES,
  OPENAI_DIFFERENCES,
  VERCEL_DIFFERENCES,
} from '../sdk/differences.ts';
import type { Differences } from '../sdk/places.ts';
import { CLIENTS } from './clients.ts';
import { FAMILIES } from './families.ts';
import { EXCEPTIONS, exceptionOf, FEATURES, type Feature } from './table.ts';

const PITFALLS = new URL('../pitfalls/', import.meta.url);

export function compatibilityMarkdown(): string {
  return `${[HEAD, ...matrixTables(), reasons(), SDKS, differences(), PITFALL_HEAD, pitfalls()].join('\n\n')}\n`;
}

const HEAD = `# What works with what

Printed by \`npx tsx test/matrix/print-docs.ts\` from the tables of the tests: every cell below is a call
through the whole server, and a cell that is said not to work fails the tests when it does. The fake
upstream refuses a body that nobody translated.

Client dialects stand in the rows, families of upstreams in the columns. Providers not named are spoken
to like OpenAI, with the rules of their row in \`src/providers\`.`;

const NAMES = Object.keys(FEATURES) as Feature[]; // the keys of a constant table

function matrixTables(): string[] {
  return NAMES.map((feature) => {
    const head = ['', ...FAMILIES.map(({ label }) => label)];
    const rows = CLIENTS.map(({ name, label }) => [
      label,
      ...FAMILIES.map((family) => mark(name, family.name, feature)),
    ]);
    return `## ${feature}\n\n${capital(FEATURES[feature])}.\n\n${table([head, ...rows])}`;
  });
}

function mark(...place: Parameters<typeof exceptionOf>): string {
  const exception = exceptionOf(...place);
  return exception === undefined ? 'yes' : `no (${EXCEPTIONS.indexOf(exception) + 1})`;
}

function reasons(): string {
  return EXCEPTIONS.map(({ reason }, at) => `${at + 1}. ${reason}`).join('\n');
}

const SDKS = `## SDKs

The SDKs of OpenAI (\`openai\`), Anthropic (\`@anthropic-ai/sdk\`), Google (\`@google/genai\`) and Vercel
(\`ai\` with \`@ai-sdk/openai\`, \`@ai-sdk/anthropic\` and \`@ai-sdk/google\`) run the same scenarios against the
upstream itself and through the gateway over an upstream of each dialect: plain and streamed answers,
system prompts, conversations, parallel calls and their results, pictures, thoughts, schemas, limits,
refusals and clients that leave. What they give back is equal, except:`;

function differences(): string {
  const all: readonly (readonly [string, Differences])[] = [
    ['OpenAI', OPENAI_DIFFERENCES],
    ['Anthropic', ANTHROPIC_DIFFERENCES],
    ['Google', GOOGLE_DIFFERENCES],
    ...Object.entries(VERCEL_DIFFERENCES).map(
      ([name, given]) => [`Vercel, ${name}`, given] as const,
    ),
  ];
  const rows = all.flatMap(([sdk, given]) =>
    Object.entries(given).flatMap(([scenario, by]) =>
      Object.entries(by ?? {}).map(([upstream, reason]) => [sdk, scenario, upstream, reason]),
    ),
  );
  return table([['SDK', 'Scenario', 'Upstream', 'Why'], ...rows]);
}

const PITFALL_HEAD = `## Pitfalls

Known ways in which gateways go wrong. Each has one test that bears its number (\`test/pitfalls\`), or a
reason why there is none.`;

function pitfalls(): string {
  const files = readdirSync(PITFALLS).filter((file) => file.endsWith('.test.ts'));
  const named = files.flatMap((file) =>
    namedTests(file, readFileSync(new URL(file, PITFALLS), 'utf8')),
  );
  const rows = [
    ...named.map((test) => [test.id, plainTitle(test), test.file.replace('.test.ts', '')]),
    ...Object.entries(UNTESTED).map(([id, reason]) => [id, reason, 'not tested']),
  ];
  const sorted = rows.sort(([a = ''], [b = '']) => a.localeCompare(b));
  return table([['', 'What holds', 'Tests'], ...sorted]);
}

/** The places that a test fills in say nothing here. */
function plainTitle({ title }: NamedTest): string {
  const every = title.replaceAll(/ \((over )?%s\)/g, '').replaceAll('a %s client', 'every client');
  return capital(every.replaceAll('no %s client', 'no client').replaceAll(/%[sj]/g, '…'));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
