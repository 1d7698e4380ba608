import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { apiCalls } from '../../../src/api/all.ts';
import { parseInput } from '../../../src/api/local.ts';
import { type Noun, wordOf } from '../../../src/cli/command.ts';
import { NOUNS } from '../../../src/cli/commands/all-commands.ts';
import { flagTextKey, GLOBAL_FLAGS } from '../../../src/cli/program/global-flags.ts';
import { BUDGET_PERIODS, BUDGET_SUBJECTS } from '../../../src/domain/budgets/budget.ts';
import { ERROR_REASONS, type ErrorReason } from '../../../src/domain/errors/error-reasons.ts';
import { AppError, ERRORS, type ErrorCode } from '../../../src/domain/errors/errors.ts';
import { CHANNEL_PROBLEMS, FIELD_PROBLEMS } from '../../../src/domain/errors/field-errors.ts';
import { invalidInput } from '../../../src/domain/errors/input-problems.ts';
import { IDENTITY_PROVIDER_NAMES } from '../../../src/domain/identity-providers.ts';
import { LANGUAGES, type Language } from '../../../src/domain/languages.ts';
import { parseOption } from '../../../src/domain/options/parse.ts';
import { OPTION_PROBLEMS } from '../../../src/domain/options/problems.ts';
import { OptionValues } from '../../../src/domain/options/registry.ts';
import { SHAPES } from '../../../src/domain/options/shapes.ts';
import en from '../../../src/locales/en.json' with { type: 'json' };
import paramsOf from '../../../src/locales/error-params.json' with { type: 'json' };
import { adviceText, errorText, hasText, hintText } from '../../../src/locales/text.ts';
import zh from '../../../src/locales/zh.json' with { type: 'json' };

const CODES = Object.keys(ERRORS) as ErrorCode[]; // the table's own keys
const TEXTS: Readonly<Record<Language, typeof zh>> = { en, zh };
const PARAMS: Readonly<Record<string, readonly string[]>> = paramsOf;

function textsIn(node: object, path = ''): [string, string][] {
  return Object.entries(node).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[path + key, value]] : textsIn(value, `${path}${key}.`),
  );
}

function paramsIn(text: string): string[] {
  return [...new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name ?? ''))].sort();
}

type Texts = Readonly<Record<string, string | undefined>>;

test.each(CODES)('%s has a text in every language that uses exactly its parameters', (code) => {
  const declared = [...(PARAMS[code] ?? ['no row in error-params.json'])].sort();
  const tables: readonly { errors: Texts; hints: Texts }[] = Object.values(TEXTS);
  for (const { errors, hints } of tables) {
    expect(errors[code], `errors.${code} in src/locales/<language>.json`).toBeTruthy();
    expect(paramsIn(`${errors[code]} ${hints[code] ?? ''}`)).toEqual(declared);
  }
});

test('no error text belongs to a removed error', () => {
  const tables = Object.values(TEXTS).flatMap(({ errors, hints }) => [errors, hints]);
  for (const texts of [...tables, paramsOf]) {
    expect(Object.keys(texts).filter((code) => !(code in ERRORS))).toEqual([]);
  }
});

test('every language has the same texts with the same parameters', () => {
  const shape = (node: object) =>
    textsIn(node)
      .filter(([key]) => !key.endsWith('_one'))
      .map(([key, text]) => [key, paramsIn(text)]);
  for (const texts of Object.values(TEXTS)) expect(shape(texts).sort()).toEqual(shape(en).sort());
});

/** A number before a noun in the plural. */
const PLURAL =
  /\{\{count\}\} (?:\w+ ){0,2}\w+s\b|\{\{\w+\}\} (?:calls|days|hours|minutes|units|users)\b/;

/** Their number is a constant above one. */
const ALWAYS_SEVERAL = ['account_mail.verification', 'account_mail.reset', 'errors.span_too_long'];

test('an English text with a count and a plural has a singular', () => {
  const texts = new Map(textsIn(en));
  const plurals = [...texts].filter(
    ([key, text]) =>
      !key.endsWith('_one') &&
      PLURAL.test(text) &&
      !ALWAYS_SEVERAL.some((name) => key.endsWith(name)),
  );
  expect(plurals.map(([key]) => key).filter((key) => !texts.has(`${key}_one`))).toEqual([]);
  const singulars = [...texts.keys()].filter((key) => key.endsWith('_one'));
  expect(singulars.filter((key) => !texts.has(key.slice(0, -4)))).toEqual([]);
});

test('every identity provider is named in the language of the text', () => {
  for (const { identity_providers } of Object.values(TEXTS))
    expect(Object.keys(identity_providers)).toEqual(IDENTITY_PROVIDER_NAMES);
  const error = new AppError('identity_missing', { provider: 'wechat' });
  expect(errorText(error, 'en')).toContain('WeChat');
  expect(errorText(error, 'zh')).toBe('您的账号未绑定 微信');
});

test('subjects and periods of budgets are named in the language of the text', () => {
  for (const { budget_subjects, budget_periods } of Object.values(TEXTS)) {
    expect(Object.keys(budget_subjects)).toEqual(BUDGET_SUBJECTS);
    expect(Object.keys(budget_periods)).toEqual(BUDGET_PERIODS);
  }
  const params = { used: '$5 / $5', subject: 'token', window: 'day', resets_at: 'tomorrow' };
  const error = new AppError('budget_exhausted', params);
  expect(errorText(error, 'en')).toContain('budget of this API token is used up: $5 / $5 per day,');
  expect(errorText(error, 'zh')).toContain('该令牌的预算已用完：$5 / $5（每天）');
});

test('the Chinese texts that existing clients compare stay unchanged', () => {
  const shown = { head: 'abc', tail: 'xyz' };
  const literals: [AppError, string][] = [
    [new AppError('token_missing'), '未提供令牌'],
    [new AppError('token_unknown'), '无效的令牌'],
    [new AppError('token_exhausted', shown), '该令牌额度已用尽 TokenStatusExhausted[sk-abc***xyz]'],
    [new AppError('token_expired'), '该令牌已过期'],
    [new AppError('token_inactive'), '该令牌状态不可用'],
    [new AppError('user_banned'), '用户已被封禁'],
    [new AppError('channel_pick_denied'), '普通用户不支持指定渠道'],
    [new AppError('token_rate_limited'), 'Key-level rate limit exceed.'],
    [new AppError('address_denied'), '您的 IP 不在令牌允许访问的列表中'],
    [new AppError('token_group_denied', { group: 'vip' }), '令牌分组 vip 已被禁用'],
    [new AppError('group_retired', { group: 'vip' }), '分组 vip 已被弃用'],
    [new AppError('channel_id_invalid'), '无效的渠道 Id'],
    [new AppError('channel_disabled'), '该渠道已被禁用'],
    [new AppError('model_denied', { model: 'm' }), '该令牌无权访问模型 m'],
    [
      new AppError('channel_none', { group: 'g', model: 'm' }),
      '当前分组 g 下对于模型 m 无可用渠道',
    ],
  ];
  for (const [error, text] of literals) expect(errorText(error, 'zh')).toBe(text);
  const drained = errorText(new AppError('token_drained', { ...shown, remain: -7 }), 'zh');
  expect(drained).toMatch(/^\[sk-abc\*\*\*xyz\] 该令牌额度已用尽.*-7/);
});

test('an error is English unless the caller reads Chinese', () => {
  const error = new AppError('user_missing', { user: 'ann' });
  expect(errorText(error)).toBe('There is no user ann.');
  expect(errorText(error, 'zh')).toBe('用户 ann 不存在');
  expect(errorText(new AppError('token_missing'), 'en')).toBe('No API token was sent.');
  expect(hintText(error, 'zh')).toContain('gateway user list');
  expect(hintText(new AppError('not_found'), 'en')).toBeUndefined();
});

test('an error and its hint on one line are two sentences', () => {
  const error = new AppError('user_missing', { user: 'ann' });
  expect(adviceText(error, 'en')).toBe('There is no user ann. List all users: gateway user list.');
  expect(adviceText(error, 'zh')).toBe('用户 ann 不存在。查看全部用户：gateway user list');
});

test('inserts a value that looks like markup or a reference as plain text', () => {
  const model = '<b>$t(errors.internal)</b> & {{group}}';
  expect(errorText(new AppError('model_denied', { model }), 'en')).toContain(model);
});

test('counts are grouped, other numbers are not', () => {
  const error = new AppError('tag_in_use', { tag: 'eu', count: 12_345 });
  expect(errorText(error, 'en')).toContain('12,345');
  expect(errorText(new AppError('channel_missing', { channel: 12_345 }), 'en')).toContain('12345');
});

test('a missing parameter still gives a readable sentence', () => {
  expect(errorText(new AppError('user_missing'), 'en')).toBe('There is no user ?.');
});

function helpKeys({ name, verbs }: Noun): string[] {
  const words = verbs.map(({ usage }) => wordOf(usage)).filter((word) => word !== name);
  return [`${name}._`, ...words.map((word) => `${name}.${word}`)].map(
    (key) => `cli.commands.${key}`,
  );
}

test('every command and every flag has a description in every language', () => {
  const flags: [noun: string, flag: string][] = [
    ...GLOBAL_FLAGS.map((flag): [string, string] => ['', flag]),
    ...NOUNS.flatMap(({ name, verbs }) =>
      verbs.flatMap((verb) => verb.flags.map((flag): [string, string] => [name, flag])),
    ),
  ];
  const has = (key: string) => LANGUAGES.every((language) => hasText(key, language));
  const keys = [
    ...NOUNS.flatMap(helpKeys),
    ...new Set(flags.map(([noun, flag]) => flagTextKey(noun, flag, has))),
  ];
  expect(keys.filter((key) => !has(key))).toEqual([]);
});

test('every command shows its usage', () => {
  for (const { name, verbs } of NOUNS) {
    for (const { usage, examples } of verbs) {
      expect(examples.length, `${name} ${usage}`).toBeGreaterThan(0);
      for (const example of examples) expect(example.startsWith(wordOf(usage)), example).toBe(true);
    }
  }
});

test("option problems are reported in the reader's language", () => {
  const texts = new OptionValues();
  const refusal = (key: string, value: unknown) => {
    try {
      parseOption(key, value, (wanted) => texts.raw(wanted));
    } catch (error) {
      return error as AppError; // the only kind it throws
    }
    throw new Error(`${key} was taken`);
  };
  const tooMuch = refusal('FailedCallDays', 101);
  expect(errorText(tooMuch, 'en')).toContain('must be at most 90');
  expect(errorText(tooMuch, 'zh')).toContain('不能大于 90');
  const misshapen = refusal('GroupRatio', '{"default":-1}');
  expect(errorText(misshapen, 'zh')).toMatch(/映射.*default/);
});

test('the English texts of option problems are the ones sent to programs', () => {
  const marked = (text: string) => text.replaceAll(/\{(\w+)\}/g, '{{$1}}');
  const problems = Object.entries(OPTION_PROBLEMS).map(([reason, text]) => [reason, marked(text)]);
  expect(en.option_problems).toEqual(Object.fromEntries(problems));
  const shapes = Object.entries(SHAPES).map(([name, { text }]) => [name, text]);
  expect(en.option_shapes).toEqual(Object.fromEntries(shapes));
});

test('the English texts of input problems are the ones sent to programs', () => {
  const marked = (text: string) => text.replaceAll(/\{(\w+)\}/g, '{{$1}}');
  const problems = Object.entries(ERROR_REASONS).map(([reason, text]) => [reason, marked(text)]);
  expect(en.error_reasons).toEqual(Object.fromEntries(problems));
});

test('every problem of a model call has a text in every language', () => {
  for (const { field_problems, channel_problems } of Object.values(TEXTS)) {
    expect(Object.keys(field_problems)).toEqual(FIELD_PROBLEMS);
    expect(Object.keys(channel_problems)).toEqual(CHANNEL_PROBLEMS);
  }
});

test('work that runs once at a time is named in the language of the text', () => {
  const works = Object.keys(zh.exclusive_work);
  const texts = works.map((work) => errorText(new AppError('already_running', { work }), 'zh'));
  expect(texts).toEqual(Object.values(zh.exclusive_work).map((name) => `${name}正在运行`));
  expect(texts.join()).not.toMatch(/[a-z]/i);
});

/** Names, units and values that stay in Latin letters in Chinese texts. */
const LATIN = new Set(
  `true false default ISO JSON PEM IP AWS us-east-1 http https socks5 U AccessKey SecretKey APIKey
   region Google Webhook UTC Token ID Base URL auto IANA Asia Shanghai sqlite postgres mysql redis
   rediss cluster sentinel Redis Cluster Sentinel HOST PORT NUMBER MASTER TLS chmod GitHub OIDC
   Telegram LINUX DO chat_id`.split(/\s+/),
);

test('no refusal of an input mixes the languages', () => {
  const reasons = Object.keys(ERROR_REASONS) as ErrorReason[]; // the table's own keys
  for (const reason of reasons) {
    const error = invalidInput('webhook_url', reason);
    expect(errorText(error, 'en')).not.toMatch(/\p{Script=Han}/u);
    const words = errorText(error, 'zh').match(/[A-Za-z][\w-]*/g) ?? [];
    expect(
      words.filter((word) => !LATIN.has(word) && word !== 's'),
      reason,
    ).toEqual([]);
  }
  const labels =
    Object.values(zh.input_fields)
      .join(' ')
      .match(/[A-Za-z][\w-]*/g) ?? [];
  expect(labels.filter((word) => !LATIN.has(word))).toEqual([]);
});

test('every field of a call has a label in every language', () => {
  const names = Object.values(apiCalls)
    .flatMap((calls) => Object.values<{ input: z.ZodMiniType }>(calls))
    .flatMap(({ input }) =>
      fieldsIn(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })),
    );
  expect([...new Set(names)].filter((name) => !(name in en.input_fields))).toEqual([]);
});

function fieldsIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const own = 'properties' in node ? Object.keys(Object(node.properties)) : [];
  return [...own, ...Object.values(node).flatMap(fieldsIn)];
}

test.each([
  [apiCalls.token.create, {}, '名称：必填', 'Name: is missing'],
  [apiCalls.token.create, { name: 7 }, '名称：必须是文本', 'Name: must be text'],
  [apiCalls.token.create, { name: ' ' }, '名称：不能为空', 'Name: must not be empty'],
  [
    apiCalls.channel.create,
    { name: 'a', type: 'none', key: 'k', models: 'm' },
    '类型：不是有效的渠道类型',
    'Type: is not a channel type',
  ],
  [
    apiCalls.channel.create,
    { name: 'a', type: 1, key: 'k', models: 'm', setting: { max_concurrency: -1 } },
    '渠道设置：其中的 max_concurrency 必须是 0 到 1000000 的整数',
    'Settings: its max_concurrency must be a whole number from 0 to 1000000',
  ],
] as const)(
  "reports a refused input in the reader's language: %#",
  (call, input, chinese, english) => {
    const refused = (() => {
      try {
        parseInput(call, input);
      } catch (error) {
        return error as AppError; // the only kind it throws
      }
      throw new Error('the input was taken');
    })();
    expect(errorText(refused, 'zh')).toBe(chinese);
    expect(errorText(refused, 'en')).toBe(english);
  },
);
