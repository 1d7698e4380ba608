import { expect, test } from 'vitest';
import { readFacts, triedChannels } from '../../../src/domain/logs/log-facts.ts';
import { toggledSeries } from '../../../web/src/components/charts/chart-data.ts';
import { logCurl } from '../../../web/src/features/log/detail/curl.ts';
import {
  attemptsOf,
  chatMessages,
  imagesOf,
  inputText,
  mappedModel,
} from '../../../web/src/features/log/facts.ts';
import { filterOf, logFields } from '../../../web/src/features/log/list/log-filter.ts';
import {
  parseViews,
  viewQuery,
  withoutView,
  withView,
} from '../../../web/src/features/log/list/saved-views.ts';
import { firstTokenTone, timingOf, tookTone } from '../../../web/src/features/log/timing.ts';
import { readState } from '../../../web/src/lib/browser/url-state.ts';

const NOW = 1_795_000_000;
const HOUR = 3600;

function filter(query: string, isAdmin = true, usualRange = '24h') {
  return filterOf(readState(logFields(usualRange), new URLSearchParams(query)), isAdmin, NOW);
}

test('the log reaches from a day ago to an hour from now', () => {
  expect(filter('')).toEqual({ start_timestamp: NOW - 24 * HOUR, end_timestamp: NOW + HOUR });
  expect(filter('', true, '7d')).toMatchObject({ start_timestamp: NOW - 7 * 24 * HOUR });
  expect(filter('from=24h', true, '7d')).toMatchObject({ start_timestamp: NOW - 24 * HOUR });
  expect(filter('from=all')).toEqual({ end_timestamp: NOW + HOUR });
  expect(filter('from=100&to=200')).toEqual({ start_timestamp: 100, end_timestamp: 200 });
});

test('a link to the log entries of other users requests nothing for a user without the rights of an administrator', () => {
  const query = 'type=6&token=ci&model=gpt-*&group=vip&user=bob&channel=7&request=r1&ip=::1';
  const shared = {
    type: 6,
    token_name: 'ci',
    model_name: 'gpt-*',
    group: 'vip',
    request_id: 'r1',
    client_ip: '::1',
    start_timestamp: NOW - 24 * HOUR,
    end_timestamp: NOW + HOUR,
  };
  expect(filter(query)).toEqual({ ...shared, username: 'bob', channel: 7 });
  expect(filter(query, false)).toEqual(shared);
});

test('durations turn orange at 101 s and red at 300 s, first tokens at 3 s and 10 s', () => {
  expect([0, 100_999, 101_000, 299_999, 300_000].map(tookTone)).toEqual([
    'green',
    'green',
    'orange',
    'orange',
    'red',
  ]);
  expect([2_999, 3_000, 9_999, 10_000].map(firstTokenTone)).toEqual([
    'green',
    'orange',
    'orange',
    'red',
  ]);
});

const CALL = {
  use_time: 6,
  use_time_ms: 6000,
  first_token_ms: 2000,
  is_stream: true,
  completion_tokens: 200,
  facts: {
    admin_info: {
      use_channel: ['3', '7'],
      attempts: [
        { channel_id: 3, channel_name: 'one', status: 429, code: 'limited', duration_ms: 1500 },
        { channel_id: 7, channel_name: 'two', status: 200, code: '', duration_ms: 4500 },
      ],
    },
  },
};

test('splits the time of a call into failed attempts, waiting and generating', () => {
  expect(timingOf(CALL)).toEqual({
    totalMs: 6000,
    retryMs: 1500,
    waitMs: 500,
    generateMs: 4000,
    tokensPerSec: 50,
  });
});

test('counts a non-streamed answer as waiting, and reads whole seconds of older systems', () => {
  const old = { ...CALL, is_stream: false, use_time_ms: 0, first_token_ms: 0, facts: {} };
  expect(timingOf(old)).toMatchObject({ totalMs: 6000, waitMs: 6000, generateMs: 0 });
  const measured = { ...CALL, first_token_ms: 0, facts: { frt: 3000 } };
  expect(timingOf(measured)).toMatchObject({ waitMs: 3000, generateMs: 3000 });
});

test('reads the extra data of a log entry in whatever state it is', () => {
  for (const text of ['', '{broken', '[1]']) expect(readFacts(text)).toEqual({});
  expect(triedChannels(CALL.facts)).toEqual(['3', '7']);
  expect(attemptsOf(CALL.facts)[0]).toMatchObject({ channelId: 3, ms: 1500 });
  expect(attemptsOf({ admin_info: { attempts: ['?', null] } })).toEqual([]);
  expect(mappedModel({ is_model_mapped: true, upstream_model_name: 'real' })).toBe('real');
  expect(mappedModel({ upstream_model_name: 'real' })).toBe('');
});

test('reads stored messages as a conversation, and leaves other texts unchanged', () => {
  const context = JSON.stringify([
    { role: 'system', content: 'Be kind' },
    { role: 'user', content: [{ type: 'text', text: 'Look' }, { type: 'image_url' }] },
  ]);
  expect(chatMessages(context)).toEqual([
    { role: 'system', text: 'Be kind' },
    { role: 'user', text: 'Look\n[image_url]' },
  ]);
  expect(chatMessages('cut in the mid')).toEqual([{ role: '', text: 'cut in the mid' }]);
  expect(chatMessages('')).toEqual([]);
  expect(inputText('{"role":"user","content":"Hi"}')).toBe('Hi');
  expect(inputText('Hi')).toBe('Hi');
});

test('a copied command contains the conversation, safely quoted', () => {
  const facts = {
    context: '[{"role":"system","content":"Be kind"}]',
    input_content: "it's $(me)",
  };
  const command = logCurl({ model_name: 'm', is_stream: true, facts }, 'https://gate.example');
  const [, body = ''] = command.split('  -d ');

  expect(command).toContain("curl 'https://gate.example/v1/chat/completions' \\\n");
  expect(JSON.parse(body.slice(1, -1).replaceAll("'\\''", "'"))).toEqual({
    model: 'm',
    messages: [
      { role: 'system', content: 'Be kind' },
      { role: 'user', content: "it's $(me)" },
    ],
    stream: true,
  });
  expect(body.replaceAll("'\\''", '').slice(1, -1)).not.toContain("'");
});

test('views are kept by name without the page and the open line', () => {
  const query = viewQuery(new URLSearchParams('type=6&page=4&id=12'));
  const views = withView(withView([], { name: 'errors', query: 'type=2' }), {
    name: 'errors',
    query,
  });
  expect(views).toEqual([{ name: 'errors', query: 'type=6' }]);
  expect(parseViews(JSON.stringify(views))).toEqual(views);
  expect(withoutView(views, 'errors')).toEqual([]);
  for (const broken of ['', 'null', '{', '[1,{"name":""},{"name":"x"}]'])
    expect(parseViews(broken)).toEqual([]);
});

test('a press on the legend shows one series alone, and Shift adds another', () => {
  expect(toggledSeries([], 'a', false)).toEqual(['a']);
  expect(toggledSeries(['a'], 'b', false)).toEqual(['b']);
  expect(toggledSeries(['a'], 'a', false)).toEqual([]);
  expect(toggledSeries(['a'], 'b', true)).toEqual(['a', 'b']);
  expect(toggledSeries(['a', 'b'], 'a', true)).toEqual(['b']);
});

test('describes images by number, size and quality where known', () => {
  expect(imagesOf({ images: 2, image_size: '1024x1792', image_quality: 'hd' })).toBe(
    '2 × 1024x1792 hd',
  );
  expect([imagesOf({ images: 1 }), imagesOf({})]).toEqual(['1', '']);
});
