import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/domain/errors/errors.ts';
import { keepsSecret, parseOption, parseOptions } from '../../../src/domain/options/parse.ts';
import { optionProblem, optionProblemText } from '../../../src/domain/options/problems.ts';
import { OPTION_KEYS, OptionValues } from '../../../src/domain/options/registry.ts';
import { fallbackProblem } from '../../../src/domain/options/rules.ts';
import { given, outcome } from './option-outcome.ts';

it('has bounds for the rebate only while rebates are on', () => {
  expect(outcome('RebatePercentage', 101)).toBe('stored 101');
  expect(outcome('RebatePercentage', 101, { RebateEnabled: 'true' })).toBe('too_large');
  expect(outcome('RebateEnabled', true, { RebatePercentage: '101' })).toBe('out_of_bounds');
  expect(outcome('RebateEnabled', true, { RebatePercentage: '100' })).toBe('stored true');
});

describe('one option value', () => {
  it.each([
    ['RetryTimes', 3, '3'],
    ['RetryTimes', ' 03 ', '3'],
    ['Price', '7.30', '7.3'],
    ['Price', '-0', '0'],
    ['fallback_single_price', '', ''],
    ['fallback_single_price', null, ''],
    ['LogErrorEnabled', true, 'true'],
    ['LogErrorEnabled', ' False', 'false'],
    ['SystemName', '  Relay  ', 'Relay'],
    ['Notice', ' kept as\nwritten ', ' kept as\nwritten '],
    ['ServerAddress', 'https://gateway.example.com/', 'https://gateway.example.com'],
    ['WorkerUrl', 'https://worker.example.com//', 'https://worker.example.com'],
    ['PayAddress', 'https://pay.example.com/', 'https://pay.example.com'],
    ['PayAddress', '', ''],
    ['SMTPToken', 'secret\n', 'secret'],
    ['EmailDomainWhitelist', ' a.com, b.com,, ', 'a.com,b.com'],
    ['EmailDomainWhitelist', ['a.com', 'b.com'], 'a.com,b.com'],
    ['AutomaticDisableKeywords', 'one\r\n\r\n two \n', 'one\ntwo'],
    ['AutomaticDisableKeywords', '', ''],
    ['DataExportDefaultTime', 'week', 'week'],
    ['ModelRatio', ' {"a":\n 1} ', '{"a":\n 1}'],
    ['ModelRatio', { 'gpt-4o': 1.25 }, '{"gpt-4o":1.25}'],
    ['Logo', '/logo.png', '/logo.png'],
    ['Logo', 'data:image/png;base64,AA', 'data:image/png;base64,AA'],
    ['Chats', '[{"Mine":"app://open?k={key}"}]', '[{"Mine":"app://open?k={key}"}]'],
    ['SensitiveWords', 'word\nregex:(?i)b[ae]d\\d+', 'word\nregex:(?i)b[ae]d\\d+'],
  ])('%s accepts %j as %j', (key, value, stored) => {
    expect(outcome(key, value)).toBe(`stored ${stored}`);
  });

  it.each([
    ['LogErrorEnabled', 'yes', 'not_bool'],
    ['LogErrorEnabled', '', 'not_bool'],
    ['RetryTimes', '', 'not_number'],
    ['RetryTimes', '0x10', 'not_number'],
    ['RetryTimes', 'Infinity', 'not_number'],
    ['RetryTimes', '1.5', 'not_int'],
    ['RetryTimes', '9007199254740993', 'not_int'],
    ['RetryTimes', -1, 'too_small'],
    ['RetryTimes', undefined, 'not_text'],
    ['RetryTimes', null, 'not_text'],
    ['Notice', { text: 'x' }, 'not_text'],
    ['SystemName', 'two\nlines', 'several_lines'],
    ['ServerAddress', '', 'required'],
    ['ServerAddress', 'gateway.example.com', 'not_web_address'],
    ['TopUpLink', 'javascript:alert(1)', 'not_web_address'],
    ['PayAddress', 'https://pay.example.com/?mch=1', 'has_query'],
    ['CustomCallbackAddress', 'https://ai.example.com/#', 'has_query'],
    ['ServerAddress', 'https://ai.example.com/?a', 'has_query'],
    ['oidc.well_known', 'ftp://id.example.com', 'not_web_address'],
    ['Logo', '//evil.example.com/x.png', 'not_link'],
    ['Logo', 'data:text/html,x', 'not_link'],
    ['EmailDomainWhitelist', 'gmail.com,not a domain', 'not_domain'],
    ['EmailDomainWhitelist', '@gmail.com', 'not_domain'],
    ['EmailDomainWhitelist', 'gmail.com,Gmail.com', 'listed_twice'],
    ['EmailDomainWhitelist', ['gmail.com', 'gmail.com'], 'listed_twice'],
    ['ReverseProxyProvider', 'traefik', 'not_choice'],
    ['ModelRatio', '{a:1}', 'not_json'],
    ['ModelRatio', '', 'not_json'],
    ['ModelRatio', '[]', 'not_shape'],
    ['ModelRatio', '{"a":"1"}', 'not_shape_at'],
    ['ModelPrice', '{"a":-1}', 'not_shape_at'],
    ['GroupRatio', '{"default":-0.5}', 'not_shape_at'],
    ['GroupRatio', '{"a,b":1}', 'not_shape_at'],
    ['TopupGroupRatio', '{"default":null}', 'not_shape_at'],
    ['UserUsableGroups', '{"default":1}', 'not_shape_at'],
    ['gemini.safety_settings', '{"default":"MAYBE"}', 'not_shape_at'],
    ['gemini.safety_settings', '{"HARM_CATEGORY_HARASMENT":"OFF"}', 'not_shape_at'],
    ['Chats', '[{"a":"https://x.example","b":"https://y.example"}]', 'not_shape_at'],
    ['Chats', '[{"a":"javascript:alert(1)"}]', 'not_shape_at'],
    ['claude.model_headers_settings', '{"m":{"x":["a\\r\\nb"]}}', 'not_shape_at'],
    ['claude.default_max_tokens', '{"default":0}', 'not_shape_at'],
    ['gemini.version_settings', '{"default":"../v1"}', 'not_shape_at'],
    ['gemini.supported_imagine_models', '{"a":1}', 'not_shape'],
    ['SensitiveWords', 'regex:(', 'bad_pattern'],
    ['SensitiveWords', 'regex:', 'bad_pattern'],
    ['SensitiveWords', 'regex:(?=a)b', 'bad_pattern'],
    ['SensitiveWords', 'regex:(a)\\1', 'bad_pattern'],
  ])('%s refuses %j as %s', (key, value, reason) => {
    expect(outcome(key, value)).toBe(reason);
  });

  it.each([
    ['gemini.thinking_adapter_budget_tokens_percentage', 0.002, 1],
    ['claude.thinking_adapter_budget_tokens_percentage', 0.1, 1],
    ['LinuxDOMinimumTrustLevel', 0, 4],
    ['SMTPPort', 1, 65_535],
  ])('%s takes %d to %d and nothing beyond', (key, lowest, highest) => {
    expect(outcome(key, lowest)).toBe(`stored ${lowest}`);
    expect(outcome(key, highest)).toBe(`stored ${highest}`);
    expect(outcome(key, lowest - 1)).toBe('too_small');
    expect(outcome(key, highest + 1)).toBe('too_large');
  });

  it.each([
    ['general_setting.ping_interval_seconds', 1],
    ['DataExportInterval', 1],
    ['ModelRequestRateLimitSuccessCount', 1],
    ['ModelRequestRateLimitDurationMinutes', 0],
    ['ModelRequestRateLimitCount', 0],
    ['ChannelDisableThreshold', 0],
    ['QuotaRemindThreshold', 0],
    ['CheckInQuota', 0],
    ['fallback_input_ratio', 0],
    ['QuotaPerUnit', 1],
  ])('%s takes %d but nothing below', (key, lowest) => {
    expect(outcome(key, lowest)).toBe(`stored ${lowest}`);
    expect(outcome(key, lowest - 1)).toBe('too_small');
  });

  it('is refused with key, reason and a sentence that does not repeat the value', () => {
    const thrown = (() => {
      try {
        return parseOption('SMTPToken', 'hun\nter2', given());
      } catch (error) {
        return error;
      }
    })();
    expect(thrown).toMatchObject({
      code: 'option_invalid',
      param: 'SMTPToken',
      params: { key: 'SMTPToken', reason: 'several_lines', problem: 'must be a single line' },
    });
    expect(JSON.stringify(thrown)).not.toContain('ter2');
  });

  it('is refused with the faulty entry of a map', () => {
    const expected = { params: { at: 'gpt-4o', problem: expect.stringContaining('"gpt-4o"') } };
    try {
      parseOption('ModelRatio', '{"ok":1,"gpt-4o":-1}', given());
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject(expected);
    }
  });

  it('keeps a stored secret if the new one is empty, and only a secret', () => {
    expect(keepsSecret('SMTPToken', '  ')).toBe(true);
    expect(keepsSecret('SMTPToken', 'new')).toBe(false);
    expect(keepsSecret('Notice', '')).toBe(false);
  });
});

describe('a switch and its companion', () => {
  it.each([
    ['GitHubOAuthEnabled', 'GitHubClientId', 'id'],
    ['LinuxDOOAuthEnabled', 'LinuxDOClientId', 'id'],
    ['oidc.enabled', 'oidc.client_id', 'id'],
    ['WeChatAuthEnabled', 'WeChatServerAddress', 'https://wechat.example.com'],
    ['TelegramOAuthEnabled', 'TelegramBotToken', 'token'],
    ['TurnstileCheckEnabled', 'TurnstileSiteKey', 'site'],
    ['EmailDomainRestrictionEnabled', 'EmailDomainWhitelist', 'example.com'],
  ])('%s needs %s', (key, companion, value) => {
    expect(outcome(key, true, { [companion]: '' })).toBe('needs');
    expect(outcome(key, false, { [companion]: '' })).toBe('stored false');
    expect(outcome(key, true, { [companion]: value })).toBe('stored true');
    expect(outcome(companion, '', { [companion]: value, [key]: 'true' })).toBe('needed_by');
    expect(outcome(companion, '', { [companion]: value, [key]: 'false' })).toBe('stored ');
  });

  it.each([
    ['GitHubOAuthEnabled', 'GitHubClientSecret', { GitHubClientId: 'id' }],
    ['LinuxDOOAuthEnabled', 'LinuxDOClientSecret', { LinuxDOClientId: 'id' }],
    ['oidc.enabled', 'oidc.client_secret', { 'oidc.client_id': 'id' }],
    ['WeChatAuthEnabled', 'WeChatServerToken', { WeChatServerAddress: 'https://wechat.test' }],
    ['TurnstileCheckEnabled', 'TurnstileSecretKey', { TurnstileSiteKey: 'site' }],
    ['EmailVerificationEnabled', 'SMTPServer', {}],
  ])(
    '%s can be turned on without %s, which cannot be emptied while it is on',
    (key, used, rest) => {
      expect(outcome(key, true, { [used]: '', ...rest })).toBe('stored true');
      expect(outcome(used, '', { [used]: 'value', [key]: 'true' })).toBe('needed_by');
      expect(outcome(used, '', { [used]: 'value', [key]: 'false' })).toBe('stored ');
      expect(outcome(used, '', { [used]: '', [key]: 'true' })).toBe('stored ');
    },
  );

  it('may be saved together in any order', () => {
    const changes = [
      { key: 'GitHubOAuthEnabled', value: 'true' },
      { key: 'GitHubClientId', value: 'id' },
    ];
    expect(parseOptions(changes, given()).map(({ stored }) => stored)).toEqual(['true', 'id']);
  });
});

describe('fallback pricing', () => {
  const single = 'fallback_single_price';
  const input = 'fallback_input_ratio';
  const completion = 'fallback_completion_ratio';

  it('refuses a single price beside ratios and ratios beside a single price', () => {
    expect(outcome(single, 0.1, { [input]: '1', [completion]: '2' })).toBe('excludes');
    expect(outcome(input, 1, { [single]: '0.1' })).toBe('excludes');
    expect(outcome(completion, 2, { [single]: '0.1' })).toBe('excludes');
    expect(outcome(single, 0, { [input]: '1', [completion]: '2' })).toBe('stored 0');
  });

  it('lets the pair be set one after the other, input first, and cleared in any order', () => {
    expect(outcome(completion, 2)).toBe('incomplete_pair');
    expect(outcome(input, 1)).toBe('stored 1');
    expect(outcome(completion, 2, { [input]: '1' })).toBe('stored 2');
    expect(outcome(input, '', { [input]: '1', [completion]: '2' })).toBe('stored ');
  });

  it('is switched on only with a single price or both ratios, and names the missing option', () => {
    const enabled = 'fallback_pricing_enabled';
    expect(outcome(enabled, true)).toBe('fallback_empty');
    expect(outcome(enabled, true, { [input]: '1' })).toBe('incomplete_pair');
    expect(outcome(enabled, true, { [input]: '1', [completion]: '2' })).toBe('stored true');
    expect(outcome(enabled, true, { [single]: '1' })).toBe('stored true');
    const on = { key: enabled, value: true };
    const refused = (...more: { key: string; value: number }[]) => {
      try {
        parseOptions([on, ...more], given());
      } catch (error) {
        return error instanceof AppError ? error.param : error;
      }
      return 'saved';
    };
    expect(refused()).toBe(input);
    expect(refused({ key: input, value: 1 })).toBe(completion);
    expect(refused({ key: completion, value: 1 })).toBe(input);
    expect(refused({ key: single, value: 1 })).toBe('saved');
  });

  it('validates values saved together as a whole', () => {
    const stored = given({ [input]: '1', [completion]: '2' });
    const toSingle = [
      { key: single, value: 0.1 },
      { key: input, value: '' },
      { key: completion, value: '' },
    ];
    expect(parseOptions(toSingle, stored)).toHaveLength(3);
    expect(() => parseOptions([{ key: input, value: 1 }], given())).toThrow(AppError);
    expect(() => parseOptions(toSingle.slice(0, 2), stored)).toThrow(AppError);
  });

  it('needs a single price or both ratios', () => {
    expect(fallbackProblem({ single: null, input: null, completion: null })).toBeUndefined();
    expect(fallbackProblem({ single: 1, input: 0, completion: null })).toBeUndefined();
    expect(fallbackProblem({ single: null, input: 1, completion: 1 })).toBeUndefined();
    expect(fallbackProblem({ single: null, input: 1, completion: 0 })?.reason).toBe(
      'incomplete_pair',
    );
    expect(fallbackProblem({ single: 1, input: 1, completion: 1 })?.reason).toBe('excludes');
  });
});

describe('the snapshot of values', () => {
  it('prefers stored values and returns the same object each time', () => {
    const values = new OptionValues(new Map([['GroupRatio', '{"gold":0.5}']]));
    expect(values.get('GroupRatio')).toEqual({ gold: 0.5 });
    expect(values.get('GroupRatio')).toBe(values.get('GroupRatio'));
    expect(values.raw('GroupRatio')).toBe('{"gold":0.5}');
    expect(values.raw('RetryTimes')).toBe('0');
    expect(values.raw('Unheard')).toBe('');
  });

  it('falls back to the default for stored text that no longer parses, and reports it', () => {
    const values = new OptionValues(
      new Map([
        ['RetryTimes', 'many'],
        ['ModelRatio', '{"a":'],
        ['SMTPToken', 'fine'],
        ['SomethingOld', '1'],
      ]),
    );
    expect(values.get('RetryTimes')).toBe(0);
    expect(values.get('ModelRatio')).toEqual({});
    expect(values.problems()).toEqual([
      { key: 'RetryTimes', reason: 'not_number', problem: 'must be a number' },
      { key: 'ModelRatio', reason: 'not_json', problem: 'is not valid JSON' },
    ]);
  });

  it('finds no map entry under names that objects inherit', () => {
    const ratios = new OptionValues(new Map([['ModelRatio', '{"__proto__":7,"a":1}']])).get(
      'ModelRatio',
    );
    expect(ratios.constructor).toBeUndefined();
    expect(ratios.toString).toBeUndefined();
    expect(ratios.a).toBe(1);
    expect(Object.isFrozen(ratios)).toBe(true);
  });

  it('is immutable, including its maps and lists', () => {
    const values = new OptionValues();
    for (const key of OPTION_KEYS) {
      const value: unknown = values.get(key);
      if (typeof value === 'object' && value !== null) expect(Object.isFrozen(value)).toBe(true);
    }
  });
});

it('a problem reads as a sentence with its numbers filled in', () => {
  expect(optionProblemText(optionProblem('too_small', { limit: 3 }))).toBe('must be at least 3');
});
