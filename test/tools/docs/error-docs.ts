/** Generates `docs/errors.md` from the catalogue of errors and their texts. */
import { DIALECTS } from '../../../src/dialects/all.ts';
import { envelopeStatus } from '../../../src/domain/errors/error-shapes.ts';
import {
  ERROR_KINDS,
  ERRORS,
  type ErrorCode,
  type ErrorRow,
  type KindRow,
} from '../../../src/domain/errors/errors.ts';
import paramsOf from '../../../src/locales/error-params.json' with { type: 'json' };
import { hasText, translator } from '../../../src/locales/text.ts';
import { modelErrorCodes } from '../../support/model-errors.ts';

const INTRODUCTION = `# Errors

This page explains every error of model calls, of the management API and of the command line, and what to do about it. It is
generated: change the rows in \`src/domain/errors/errors.ts\` or the texts in
\`src/locales\`, and run \`npx tsx test/tools/docs/print-docs.ts\`.

- Programs should check the code, which never changes; the text may. Texts are English or Chinese
  ([accounts.md](accounts.md#languages)).
- \`{name}\` stands for a value. If **What to do** is empty, the meaning already says it, or nothing can be done.
- **Management API** contains the HTTP status and the code. Most errors have status 200, because existing clients of this API
  read \`success\` instead; a few calls answer 400 or 403.
- **Exit** is the exit status of a command that ends with the error ([cli.md](cli.md#exit-status)). With \`--json\` a command
  prints the code of the management API.
- \`gateway doctor\` finds faults of the machine and the site and prints the same texts.
- The text of an internal error contains a request id: the log of the server has the cause under this id.`;

const MODEL_INTRODUCTION = `[api.md](api.md#errors) shows the form of these errors and how client libraries react to them. The dialect columns
contain the HTTP status, and the type (OpenAI, Anthropic) or status (Gemini) in the body. **Client retry** says whether client
libraries send the call again: the HTTP status decides, and \`x-should-retry: false\` stops those that read it. The
Responses dialect has 400 instead of 402, because Codex repeats 402.`;

const OTHER_INTRODUCTION = `[management-api.md](management-api.md#answers) shows the form of these errors. Errors of the startup and
of the command line do not occur over HTTP.`;

export function errorsMarkdown(): string {
  const ofModels = modelErrorCodes();
  const others = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => !ofModels.includes(code)); // the table's own keys
  return [
    INTRODUCTION,
    '## Model calls',
    MODEL_INTRODUCTION,
    table(
      ['Code', 'OpenAI', 'Anthropic', 'Gemini', 'Client retry', ...OTHER_COLUMNS],
      ofModels.map((code) => [...modelCells(code), ...otherCells(code)]),
    ),
    '## Management calls and commands',
    OTHER_INTRODUCTION,
    table(OTHER_COLUMNS, others.map(otherCells)),
  ]
    .join('\n\n')
    .concat('\n');
}

const rowOf = (code: ErrorCode): ErrorRow => ERRORS[code];
const kindOf = (code: ErrorCode): KindRow => ERROR_KINDS[rowOf(code).kind];
const statusOf = (code: ErrorCode): number => rowOf(code).http ?? kindOf(code).http;

function wireCode(code: ErrorCode): string {
  const wire = rowOf(code).wire ?? code;
  return wire === '' ? '(empty)' : `\`${wire}\``;
}

function modelCells(code: ErrorCode): string[] {
  const status = statusOf(code);
  const { openai: type } = kindOf(code);
  const wire = { type, code: rowOf(code).wire ?? code, message: '', param: null };
  const ofAnthropic = DIALECTS.anthropic.writeError({ ...wire, status });
  const ofGemini = DIALECTS.gemini.writeError({ ...wire, status });
  const anthropicType = (ofAnthropic.error as { readonly type: string }).type; // its own form
  return [
    wireCode(code),
    `${status} \`${type}\``,
    `${status} \`${anthropicType}\``,
    `${status} \`${(ofGemini.error as { readonly status: string }).status}\``, // its own form
    clientRetryOf(code),
  ];
}

const OTHER_COLUMNS = ['Management API', 'Exit', 'Meaning', 'What to do'];

function otherCells(code: ErrorCode): string[] {
  const status = envelopeStatus(rowOf(code), statusOf(code));
  const exit = String(kindOf(code).exit);
  return [`${status} \`${code}\``, exit, textOf(`errors.${code}`, code), remedyOf(code)];
}

/** Client libraries send a call again after these statuses, and all of 500 and above. */
const RETRIED: ReadonlySet<number> = new Set([408, 409, 429]);

function clientRetryOf(code: ErrorCode): string {
  const status = statusOf(code);
  if (status < 500 && !RETRIED.has(status)) return 'no';
  return rowOf(code).isPermanent ? 'no, by header' : 'yes';
}

const t = translator('en');
const PARAMS: Readonly<Record<string, readonly string[]>> = paramsOf;

function remedyOf(code: ErrorCode): string {
  const key = `hints.${code}`;
  return hasText(key, 'en') ? textOf(key, code) : '';
}

/** The text as Markdown, with the names of its values in braces. */
function textOf(key: string, code: ErrorCode): string {
  const names = (PARAMS[code] ?? []).map((name) => [name, `{${name}}`]);
  return t(key, Object.fromEntries(names)).replace(/[*<]/g, '\\$&');
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}
