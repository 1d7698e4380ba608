/** `gateway ledger`: shows ledger entries and verifies balances against them. */
import { command, type Noun } from '../../command.ts';
import { findChannel, findToken, findUser } from '../../lookup/find-by-name.ts';
import type { View } from '../../output/render-reply.ts';
import { EXIT } from '../../process/exit-codes.ts';
import { listCommand } from '../common-verbs.ts';

const VIEW: View = {
  columns: ['id', 'created_at', 'cause', 'user_id', 'user_units', 'token_units', 'key'],
  wide: ['token_id', 'channel_id', 'channel_units', 'actor', 'detail'],
};
const DIFFERENCES: View = { columns: ['table', 'id', 'column', 'stored', 'expected'] };

const verify = command({
  usage: 'verify',
  flags: ['--full'],
  examples: ['verify', 'verify --full --json'],
  async run(cli, { full }) {
    const proof = await (await cli.api()).ledger.verify({ full });
    const { ok, checked, differences } = proof;
    if (!cli.isTableOutput()) await cli.print(proof, { columns: ['ok'] });
    else {
      await cli.print({ ok, ...checked }, { columns: ['ok', ...Object.keys(checked)] });
      if (differences.length > 0)
        await cli.printSection(cli.t('cli.sections.differences'), differences, DIFFERENCES);
    }
    return ok ? EXIT.ok : EXIT.checkFailed;
  },
});

const list = listCommand({
  flags: ['--user <user>', '--token <name>', '--channel <channel>', '--cause <cause>'],
  examples: ['list --user alice', 'list --cause charge --all --output csv'],
  view: VIEW,
  query: async (cli, { cause, user, token, channel }) => ({
    cause,
    user: user && (await findUser(cli, user)).id,
    token: token && (await findToken(cli, token)).id,
    channel: channel && (await findChannel(cli, channel)).id,
  }),
  page: (api, query) => api.ledger.list(query),
});

const STATEMENT: View = {
  columns: ['username', 'month', 'opening', 'credits', 'debits', 'charges', 'refunds', 'closing'],
  wide: ['calls', 'time_zone'],
};
const DAYS: View = { columns: ['day', 'credits', 'debits', 'charges', 'refunds', 'closing'] };
const MODELS: View = { columns: ['day', 'model', 'calls', 'units'] };

const statement = command({
  usage: 'statement',
  flags: ['--user <user>', '--month <month>', '--time-zone <zone>', '--csv'],
  examples: ['statement --user alice', 'statement --user alice --month 2026-11 --csv'],
  async run(cli, { user, month, timeZone: time_zone, csv }) {
    const { statement } = await cli.api();
    const asked = { month, time_zone };
    const id = user && (await findUser(cli, user)).id;
    if (csv) {
      const texts = await (id ? statement.ofUserCsv({ ...asked, id }) : statement.ownCsv(asked));
      for await (const text of texts) cli.io.out(text);
      return EXIT.ok;
    }
    const found = await (id ? statement.ofUser({ ...asked, id }) : statement.own(asked));
    if (!cli.isTableOutput()) {
      await cli.print(found, STATEMENT);
      return EXIT.ok;
    }
    const { days: _, ...sums } = found;
    await cli.print(sums, STATEMENT);
    await cli.printSection(cli.t('cli.sections.days'), found.days, DAYS);
    const models = found.days.flatMap(({ day, models }) => models.map((row) => ({ day, ...row })));
    if (models.length > 0) await cli.printSection(cli.t('cli.sections.charges'), models, MODELS);
    return EXIT.ok;
  },
});

export const ledger: Noun = { name: 'ledger', verbs: [verify, list, statement] };
