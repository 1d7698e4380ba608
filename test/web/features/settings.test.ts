import { expect, test } from 'vitest';
import { OPTION_KEYS, type OptionKey } from '../../../src/domain/options/registry.ts';
import { chatRows, chatText, moved } from '../../../web/src/features/settings/panels/chat-rows.ts';
import { groupRows, groupTexts } from '../../../web/src/features/settings/panels/group-rows.ts';
import { isSameVersion } from '../../../web/src/features/settings/panels/release.ts';
import {
  cellEdit,
  cellValue,
  editOfUsd,
  shownPrice,
  withEdits,
} from '../../../web/src/features/settings/prices/price-edits.ts';
import {
  chosenPrices,
  type SourceChanges,
  sourceModels,
} from '../../../web/src/features/settings/prices/source-rows.ts';
import {
  isChanged,
  mapChanges,
  saveEach,
  saveOrder,
  settingProblems,
  visibleKeys,
} from '../../../web/src/features/settings/sections/draft.ts';
import {
  LEGACY_OPTIONS,
  sectionsOf,
  TAB_NAMES,
} from '../../../web/src/features/settings/sections/tabs.ts';

const NOTHING = new Map<string, string>();

function reasons(draft: Partial<Record<OptionKey, string>>, stored = NOTHING) {
  const found = settingProblems(Object.keys(draft) as OptionKey[], draft, stored);
  return Object.fromEntries(Object.entries(found).map(([key, { reason }]) => [key, reason]));
}

test('every option is in exactly one section, or has no effect', () => {
  const placed = TAB_NAMES.flatMap((tab) => sectionsOf(tab).flatMap(({ keys }) => [...keys]));
  expect([...placed, ...LEGACY_OPTIONS].sort()).toEqual([...OPTION_KEYS].sort());
});

test('saves the display options of a site one at a time', () => {
  for (const { keys } of sectionsOf('other')) expect(keys.length).toBeLessThanOrEqual(1);
});

test('validates one changed field of fallback pricing with the stored ones', () => {
  const ratio = { fallback_input_ratio: '2' };
  expect(reasons(ratio)).toEqual({ fallback_completion_ratio: 'incomplete_pair' });
  expect(reasons({ fallback_pricing_enabled: 'true' })).toEqual({
    fallback_input_ratio: 'fallback_empty',
  });
  const stored = new Map([['fallback_completion_ratio', '4']]);
  expect(reasons(ratio, stored)).toEqual({});
});

test('hides from administrators the fields that only a super admin may change', () => {
  expect(visibleKeys(['SMTPServer', 'DefaultLanguage'], 10)).toEqual(['DefaultLanguage']);
  expect(visibleKeys(['SMTPServer', 'DefaultLanguage'], 100)).toHaveLength(2);
});

test('ignores a trailing slash, a blank secret and a retyped default as changes', () => {
  const stored = new Map([['ServerAddress', 'https://a.example']]);
  expect(isChanged('ServerAddress', { ServerAddress: 'https://a.example/' }, stored)).toBe(false);
  expect(isChanged('ServerAddress', { ServerAddress: 'https://b.example' }, stored)).toBe(true);
  expect(isChanged('SMTPToken', { SMTPToken: ' ' }, stored)).toBe(false);
  expect(isChanged('SMTPToken', { SMTPToken: 'x' }, stored)).toBe(true);
  expect(isChanged('RetryTimes', { RetryTimes: '0' }, stored)).toBe(false);
});

test('saves switches first, and cleared fields before filled ones', () => {
  const draft = {
    fallback_completion_ratio: '2',
    fallback_input_ratio: '1',
    fallback_single_price: '',
    fallback_pricing_enabled: 'true',
    'claude.thinking_adapter_enabled': 'false',
  };
  expect(saveOrder(Object.keys(draft) as OptionKey[], draft)).toEqual([
    'claude.thinking_adapter_enabled',
    'fallback_single_price',
    'fallback_input_ratio',
    'fallback_completion_ratio',
    'fallback_pricing_enabled',
  ]);
});

test('a switch that is turned on waits for the id it needs; one that is turned off does not', () => {
  const keys: OptionKey[] = ['GitHubOAuthEnabled', 'GitHubClientId'];
  expect(saveOrder(keys, { GitHubOAuthEnabled: 'true', GitHubClientId: 'id' })).toEqual([
    'GitHubClientId',
    'GitHubOAuthEnabled',
  ]);
  expect(saveOrder(keys, { GitHubOAuthEnabled: 'false', GitHubClientId: '' })).toEqual(keys);
});

test('a refused option does not stop the others from being saved', async () => {
  const outcome = await saveEach(['RetryTimes', 'TopUpLink', 'Notice'], async (key) => {
    if (key === 'TopUpLink') throw new Error('no');
  });
  expect(outcome.saved).toEqual(['RetryTimes', 'Notice']);
  expect(outcome.failed.map(({ key }) => key)).toEqual(['TopUpLink']);
});

test('each changed field is validated by the rules of the server', () => {
  expect(
    reasons({
      DataExportInterval: '0',
      TopupGroupRatio: '{"vip":',
      EmailDomainWhitelist: 'a.example,b',
      ModelRequestRateLimitCount: '0',
    }),
  ).toEqual({
    DataExportInterval: 'too_small',
    TopupGroupRatio: 'not_json',
    EmailDomainWhitelist: 'not_domain',
  });
});

test('a rebate is 0 to 100 percent, decimals too, while rebates are on, as on the server', () => {
  expect(reasons({ RebateEnabled: 'true', RebatePercentage: '100.5' })).toMatchObject({
    RebatePercentage: 'too_large',
  });
  expect(reasons({ RebateEnabled: 'true', RebatePercentage: '12.5' })).toEqual({});
  expect(reasons({ RebateEnabled: 'false', RebatePercentage: '100.5' })).toEqual({});
});

test('reports map changes by entry', () => {
  expect(mapChanges('GroupRatio', '{"a":1,"b":2}', '{"b":3,"c":1}')).toEqual([
    { option: 'GroupRatio', name: 'a', before: '1', after: undefined },
    { option: 'GroupRatio', name: 'b', before: '2', after: '3' },
    { option: 'GroupRatio', name: 'c', before: undefined, after: '1' },
  ]);
  expect(mapChanges('GroupRatio', '{', '{}')).toEqual([]);
});

test('the group table writes both options, and reads groups named in only one of them', () => {
  const rows = groupRows({
    GroupRatio: '{"default":1,"vip":0.5}',
    UserUsableGroups: '{"vip":"VIP","old":"Old"}',
  });
  expect(rows).toEqual([
    { name: 'default', ratio: 1, isSelectable: false, label: '' },
    { name: 'vip', ratio: 0.5, isSelectable: true, label: 'VIP' },
    { name: 'old', ratio: '', isSelectable: true, label: 'Old' },
  ]);
  const texts = groupTexts(rows ?? []);
  expect(JSON.parse(texts.GroupRatio)).toEqual({ default: 1, vip: 0.5 });
  expect(JSON.parse(texts.UserUsableGroups)).toEqual({ vip: 'VIP', old: 'Old' });
  expect(groupRows({ GroupRatio: '[', UserUsableGroups: '{}' })).toBeUndefined();
});

test('reads, reorders and writes chat clients', () => {
  const rows = chatRows('[{"A":"https://a.example"},{"B":"https://b.example"}]') ?? [];
  expect(JSON.parse(chatText(moved(rows, 1, 0)))).toEqual([
    { B: 'https://b.example' },
    { A: 'https://a.example' },
  ]);
  expect(chatRows('{}')).toBeUndefined();
  expect(chatRows('[1]')).toBeUndefined();
});

test('a fixed price removes the ratios, and a ratio removes the fixed price', () => {
  expect(cellEdit({}, 'price', 0.1)).toEqual({ price: 0.1, ratio: null, completion: null });
  expect(cellEdit({ price: 0.1, ratio: null }, 'ratio', 2)).toEqual({ price: null, ratio: 2 });
  expect(cellEdit({ ratio: 2 }, 'ratio', null)).toEqual({ ratio: null });
});

test('cells hold numbers of 0 or more, or nothing', () => {
  expect([' ', '0.5', 'x', '-1'].map(cellValue)).toEqual([null, 0.5, 'notNumber', 'negative']);
});

test('prices per million tokens become ratios; nothing relates to a price of 0', () => {
  expect(editOfUsd(3, 15)).toEqual({ price: null, ratio: 1.5, completion: 5 });
  expect(editOfUsd(0, 15)).toBe('zero');
  expect(editOfUsd(0, null)).toEqual({ price: null, ratio: 0 });
});

test('applies edits over the price options, and keeps untouched ones', () => {
  const texts = { ModelPrice: '{"draw":0.1}', ModelRatio: '{"a":1,"b":2}', CompletionRatio: '{}' };
  const edits = new Map([
    ['draw', { price: null, ratio: 3 }],
    ['a', { price: 0.2, ratio: null, completion: null }],
  ]);
  const next = withEdits(texts, edits);
  expect(next && Object.values(next).map((text) => JSON.parse(text))).toEqual([
    { a: 0.2 },
    { b: 2, draw: 3 },
    {},
  ]);
  expect(withEdits({ ...texts, ModelRatio: '{' }, edits)).toBeUndefined();
});

test('a row shows the current values with its edit applied', () => {
  const entry = {
    billing: 'per_token',
    model_price: -1,
    model_ratio: 2,
    completion_ratio: 4,
  } as const;
  expect(shownPrice(entry)).toEqual({ price: null, ratio: 2, completion: 4 });
  expect(shownPrice(entry, { ratio: 3 })).toEqual({ price: null, ratio: 3, completion: 4 });
  expect(shownPrice(entry, { price: 1, ratio: null, completion: null })).toEqual({
    price: 1,
    ratio: null,
    completion: null,
  });
});

test('takes the chosen rates of the source, and whole prices where all are chosen', () => {
  const items: SourceChanges['items'] = [
    {
      price: { model: 'm', rates: { input: 2, cache_read: 0.1 }, variants: [] },
      changes: [
        { field: 'input', from: 1, to: 2 },
        { field: 'cache_read', from: null, to: 0.1 },
      ],
      origin: 'a list 2026-08-01',
      since: '2026-08-01',
    },
    {
      price: { model: 'n', rates: { call: 1 }, variants: [] },
      changes: [{ field: 'call', from: null, to: 1 }],
      origin: '',
      since: '',
    },
  ];
  const [first, second] = sourceModels(items).map(({ rows }) => rows.map(({ id }) => id));
  expect(chosenPrices(items, new Set(first))).toEqual([items[0]?.price]);
  const some = new Set([...(first ?? []).slice(0, 1), ...(second ?? [])]);
  expect(chosenPrices(items, some)).toEqual([
    { model: 'm', rates: { input: 2 }, variants: [] },
    { model: 'n', rates: { call: 1 }, variants: [] },
  ]);
  expect(chosenPrices(items, new Set())).toEqual([]);
});

test('reads a release version alike with or without a v', () => {
  expect(isSameVersion('v1.2.0', '1.2.0')).toBe(true);
  expect(isSameVersion('v1.3.0', '1.2.0')).toBe(false);
});
