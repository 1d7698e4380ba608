/** `gateway price`: shows and changes model prices. */

import { vendorOf } from '../../../domain/channels/model-vendors.ts';
import { command, type Noun } from '../../command.ts';
import { allItems, LIST_FLAGS, printList, printRows } from '../../lookup/paged-lists.ts';
import type { View } from '../../output/render-reply.ts';
import type { PriceReply } from '../../site-file/settings.ts';
import {
  briefOf,
  getCommand,
  type NamedNoun,
  replyCommand,
  updateCommand,
} from '../common-verbs.ts';
import { importPrices, resetPrices } from './price-file.ts';
import { syncPrices } from './price-sync.ts';

const VIEW: View = {
  columns: ['model', 'billing', 'source', 'usd_in', 'usd_out', 'usd_cache_read', 'model_price'],
  wide: [
    'price_name',
    'origin',
    'is_estimated',
    'usd_cache_write',
    'model_ratio',
    'completion_ratio',
    'cache_ratio',
    'enabled',
  ],
  id: 'model',
};
const NAMED: NamedNoun<PriceReply> = {
  noun: 'price',
  argument: 'model',
  find: async (cli, model) => (await cli.api()).price.get({ model }),
  nameOf: ({ model }) => model,
  view: VIEW,
};

const list = command({
  usage: 'list',
  flags: ['--q <text>', '--vendor <name>', '--unset', '--enabled', ...LIST_FLAGS],
  examples: ['list --enabled', 'list --vendor anthropic', 'list --unset --output ids'],
  async run(cli, { q, vendor, unset, enabled, ...flags }) {
    const api = await cli.api();
    const ask = (page: object) => api.price.list({ ...page, q, unset, enabled });
    if (vendor === undefined) return printList(cli, flags, VIEW, ask);
    const all = await allItems(ask);
    const own = all.filter(({ model }) => vendorOf(model).toLowerCase() === vendor.toLowerCase());
    return printRows(cli, flags, VIEW, own);
  },
});

const get = getCommand(NAMED, ['get gpt-4o-mini', 'get gpt-4o-mini --json']);

const set = command({
  usage: 'set <model>',
  flags: [
    '--in <usd>',
    '--out <usd>',
    '--ratio <factor>',
    '--completion <number>',
    '--cache <factor>',
    '--cache-write <factor>',
    '--per-call <usd>',
    '--rates <json>',
    '--variants <json>',
  ],
  examples: [
    'set my-model --in 2.5 --out 10',
    'set my-model --ratio 1.25 --completion 4 --cache 0.5',
    'set my-image-model --per-call 0.04 --dry-run',
    `set my-model --rates '{"input":2,"output":8}' --variants @long-prompts.json`,
  ],
  async run(cli, { model, ...flags }) {
    const { values } = cli;
    const input = {
      model,
      in: values.decimal('--in', flags.in),
      out: values.decimal('--out', flags.out),
      ratio: values.decimal('--ratio', flags.ratio),
      completion: values.decimal('--completion', flags.completion),
      cache: values.decimal('--cache', flags.cache),
      cacheWrite: values.decimal('--cache-write', flags.cacheWrite),
      perCall: values.decimal('--per-call', flags.perCall),
      rates: parsed(values.json('--rates', flags.rates)),
      variants: parsed(values.json('--variants', flags.variants)),
    };
    const before = await NAMED.find(cli, model);
    const change = { action: 'update', noun: 'price', name: model, before } as const;
    await cli.changeAndPrint(change, (api) => api.price.set(input), briefOf(NAMED));
  },
});

function parsed(json: string | undefined) {
  return json === undefined ? undefined : JSON.parse(json);
}

const unset = updateCommand(NAMED, 'unset', 'my-model', async (api, { model }) => {
  await api.price.unset({ model });
  return api.price.get({ model });
});

const UNPRICED: View = { columns: ['model'], id: 'model' };
const unpriced = replyCommand('unpriced', ['unpriced', 'unpriced --json'], UNPRICED, (api) =>
  api.price.unpriced({}),
);

const DAYS_PER_MONTH = 30;

const calc = command({
  usage: 'calc <model>',
  flags: [
    '--prompt <tokens>',
    '--completion <number>',
    '--cached <tokens>',
    '--calls-per-day <n>',
    '--group <name>',
    '--tier <name>',
  ],
  examples: [
    'calc gpt-4o-mini --prompt 1000 --completion 200',
    'calc gpt-6-sol --prompt 300000 --completion 2000 --tier priority',
    'calc gpt-4o --prompt 5000 --cached 4000 --completion 500 --calls-per-day 1000 --group vip',
  ],
  async run(cli, { model, group, tier, callsPerDay, ...flags }) {
    const { values } = cli;
    const cost = await (await cli.api()).price.calc({
      model,
      group,
      tier,
      prompt: values.wholeNumber('--prompt', flags.prompt),
      completion: values.wholeNumber('--completion', flags.completion),
      cached: values.wholeNumber('--cached', flags.cached),
    });
    const calls = values.wholeNumber('--calls-per-day', callsPerDay);
    await cli.print(calls === undefined ? cost : { ...cost, ...costOver(calls, cost.usd) }, {
      columns: ['model', 'units'],
      id: 'units',
    });
  },
});

function costOver(callsPerDay: number, usdPerCall: number) {
  return {
    usd_per_day: rounded(usdPerCall * callsPerDay),
    usd_per_month: rounded(usdPerCall * callsPerDay * DAYS_PER_MONTH),
  };
}

/** Rounds an estimate for display; the last digits of a float are noise. */
function rounded(usd: number): number {
  return Number(usd.toFixed(6));
}

export const price: Noun = {
  name: 'price',
  verbs: [list, get, set, unset, unpriced, syncPrices, importPrices, resetPrices, calc],
};
