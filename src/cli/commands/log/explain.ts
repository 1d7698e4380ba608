/** `gateway explain`: everything known about one request, from log entries to ledger entries. */
import { readFacts } from '../../../domain/logs/log-facts.ts';
import type { Cli } from '../../cli.ts';
import { command, type Noun } from '../../command.ts';
import { LOG_WORDS } from '../../output/field-formats.ts';
import type { View } from '../../output/render-reply.ts';

const SECTIONS: Readonly<Record<'logs' | 'ledger' | 'attempts', View>> = {
  logs: {
    columns: [
      'created_at',
      'type',
      'username',
      'model_name',
      'quota',
      'cost',
      'prompt_tokens',
      'completion_tokens',
      'content',
    ],
    words: LOG_WORDS,
  },
  ledger: { columns: ['created_at', 'cause', 'user_units', 'token_units', 'channel_units', 'key'] },
  attempts: {
    columns: [
      'channel_id',
      'channel_name',
      'key_id',
      'upstream_model',
      'status',
      'code',
      'message',
      'duration_ms',
      'affinity',
    ],
  },
};

const run = command({
  usage: 'explain <request-id>',
  examples: ['explain 20261121093005abcdef', 'explain 20261121093005abcdef --json'],
  async run(cli, input) {
    const request_id = input['request-id'];
    const facts = await (await cli.api()).ledger.explain({ request_id });
    if (!cli.isTableOutput()) {
      const logs = facts.logs.map((log) => ({ ...log, other: readFacts(log.other) }));
      const view = { columns: ['request_id'], id: 'request_id', words: LOG_WORDS };
      return cli.print({ ...facts, logs }, view);
    }
    if (facts.failure !== null) await record(cli, 'failure', facts.failure);
    await section(cli, 'logs', facts.logs);
    await section(cli, 'ledger', facts.ledger);
    await section(cli, 'attempts', facts.attempts);
    if (facts.hold !== null) await record(cli, 'hold', facts.hold);
    await record(cli, 'price', facts.price);
  },
});

async function section(
  cli: Cli,
  name: keyof typeof SECTIONS,
  rows: readonly object[],
): Promise<void> {
  if (rows.length === 0) return;
  const { columns, ...view } = SECTIONS[name];
  await cli.printSection(cli.t(`cli.sections.${name}`), rows, {
    ...view,
    columns: presentIn(rows, columns),
  });
}

/** Some columns are for administrators only, and older attempts have only the channel. */
function presentIn(rows: readonly object[], columns: readonly string[]): string[] {
  return columns.filter((name) => rows.some((row) => name in row));
}

async function record(cli: Cli, name: string, facts: object): Promise<void> {
  if (Object.keys(facts).length === 0) return;
  await cli.printSection(cli.t(`cli.sections.${name}`), facts, { columns: Object.keys(facts) });
}

export const explain: Noun = { name: 'explain', verbs: [run] };
