/** Generates docs/compatibility.md from the tables of the tests: `npx tsx test/system/matrix/print-docs.ts`. */
import { type NamedTest, namedTests, UNTESTED } from '../pitfalls/list.ts';
import {
  ANTHROPIC_DIFFERENCES,
  GOOGLE_DIFFERENCES,
  OPENAI_DIFFERENCES,
  VERCEL_DIFFERENCES,
} from '../sdk/differences.ts';
import type { Differences } from '../sdk/endpoints.ts';
import { CLIENTS } from './clients.ts';
import { FAMILIES } from './families.ts';
import { EXCEPTIONS, exceptionOf, FEATURES, type Feature } from './table.ts';

export function compatibilityMarkdown(): string {
  return `${[HEAD, ...matrixTables(), reasons(), SDKS, differences(), PITFALL_HEAD, pitfalls()].join('\n\n')}\n`;
}

const HEAD = `# Compatibility

This page shows which features work between which client dialects and upstreams. It is generated from the tables of the
tests: run \`npx tsx test/system/matrix/print-docs.ts\`. Every cell is tested with calls through the whole server; a test fails
if a cell with "no" works. The rows are client dialects, the columns families of upstreams. Providers without a column
use the OpenAI dialect with the rules of their row in \`src/providers\`.`;

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
(\`ai\` with \`@ai-sdk/openai\`, \`@ai-sdk/anthropic\` and \`@ai-sdk/google\`) run the same scenarios directly against an
upstream and through the gateway with an upstream of each dialect: plain and streamed answers, system prompts,
conversations, parallel calls and their results, images, thoughts, schemas, limits, refusals and clients that disconnect.
The results are equal, except:`;

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
  return table([['SDK', 'Scenario', 'Upstream', 'Reason'], ...rows]);
}

const PITFALL_HEAD = `## Pitfalls

This list shows known errors of gateways and the behaviour that prevents them. Each has one test with its number
below \`test\`, or a reason why there is none.`;

function pitfalls(): string {
  const rows = [
    ...namedTests().map((test) => [test.id, plainTitle(test), test.file.replace('.test.ts', '')]),
    ...Object.entries(UNTESTED).map(([id, reason]) => [id, reason, 'not tested']),
  ];
  const sorted = rows.sort(([a = ''], [b = '']) => a.localeCompare(b));
  return table([['Number', 'Behaviour', 'Tests'], ...sorted]);
}

/** The title without the values that `test.each` fills in. */
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
