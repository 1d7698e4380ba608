/** Rules of the channel list, its tags and its tests that can be tested without a browser. */

import { describe, expect, test } from 'vitest';
import { keptModels } from '../../../../web/src/features/channels/editor/useChannelTypes.ts';
import { isSearch, queryOf } from '../../../../web/src/features/channels/list/channel-filters.ts';
import {
  boxesOf,
  channelRowId,
  channelsChosen,
  common,
  meanResponse,
  namesIn,
  tagRows,
} from '../../../../web/src/features/channels/list/channel-rows.ts';
import { statusInfoOf } from '../../../../web/src/features/channels/list/status-info.ts';
import { diffOf, firstChoice } from '../../../../web/src/features/channels/models/model-diff.ts';
import { tagChanges, tagValuesOf } from '../../../../web/src/features/channels/tags/tag-edit.ts';
import { serverEvents } from '../../../../web/src/features/channels/tests/read-events.ts';
import {
  inParallel,
  type ModelTest,
  testSummary,
} from '../../../../web/src/features/channels/tests/test-results.ts';
import { PAGE_FIELDS } from '../../../../web/src/lib/browser/page-links.ts';
import { readState } from '../../../../web/src/lib/browser/url-state.ts';
import { channel } from './channel-record.ts';

describe('the channel list', () => {
  const taste = { tagMode: true, idSort: true };
  const query = (address: string) =>
    queryOf(readState(PAGE_FIELDS['/admin/channels'], new URLSearchParams(address)), taste);

  test('a search keeps tag view and order, and joins keyword, group and model', () => {
    const parsed = query('q=main&group=vip&model=gpt&page=3&status=auto_disabled');
    expect(parsed).toEqual({
      id_sort: true,
      tag_mode: true,
      keyword: 'main',
      group: 'vip',
      model: 'gpt',
      status: 3,
    });
    expect([isSearch(parsed), isSearch(query('type=3'))]).toEqual([true, false]);
  });

  const tagged = [
    channel({ id: 1, tag: 'a', priority: 5, response_time: 100, models: 'x,y' }),
    channel({ id: 2, tag: 'b' }),
    channel({ id: 3, tag: 'a', priority: 5, weight: 2, response_time: 300, models: 'y,z' }),
  ];

  test('opens a tag into its channels and shows their shared values', () => {
    const rows = tagRows(tagged, new Set(['a']));
    expect(rows.map(channelRowId)).toEqual(['tag:a', 1, 3, 'tag:b']);
    const own = tagged.filter(({ tag }) => tag === 'a');
    expect(common(own, (one) => one.priority)).toBe(5);
    expect(common(own, (one) => one.weight)).toBeUndefined();
    expect(namesIn(own, (one) => one.models)).toEqual(['x', 'y', 'z']);
    expect([meanResponse(own), meanResponse([channel()])]).toEqual([200, 0]);
  });

  test('the checkbox of a tag selects all of its channels', () => {
    const rows = tagRows(tagged, new Set(['a']));
    const all = channelsChosen(new Set(), new Set(['tag:a']), rows);
    expect([...all]).toEqual([1, 3]);
    expect([...boxesOf(all, rows)]).toEqual(['tag:a', 1, 3]);
    // One channel is deselected while its tag is still selected in the table.
    const one = channelsChosen(all, new Set(['tag:a', 3]), rows);
    expect([...one]).toEqual([3]);
    expect([...boxesOf(one, rows)]).toEqual([3]);
    expect([...channelsChosen(all, new Set([1, 3]), rows)]).toEqual([]);
    expect([...channelsChosen(new Set([9]), new Set(['tag:b']), rows)]).toEqual([9, 2]);
  });

  test('the reason why a channel is off is read from its notes; broken notes are ignored', () => {
    expect(statusInfoOf('{"status_reason":"401 from upstream","status_time":1700000000}')).toEqual({
      reason: '401 from upstream',
      at: 1_700_000_000,
    });
    for (const broken of ['', '{', 'null', '{"status_time":"soon"}'])
      expect(statusInfoOf(broken)).toEqual({ reason: '', at: 0 });
  });
});

describe('editing a tag', () => {
  const own = [channel({ models: 'a,b' }), channel({ models: 'a,b', group: 'vip' })];

  test('starts with what its channels have alike, and sends what differs from that', () => {
    const before = tagValuesOf('team', own);
    expect(before).toMatchObject({ new_tag: 'team', models: ['a', 'b'], groups: [] });
    expect(tagChanges(before, before)).toBeUndefined();
    expect(tagChanges({ ...before, new_tag: ' crew ', groups: ['vip'] }, before)).toEqual({
      new_tag: 'crew',
      groups: 'vip',
    });
  });

  test('clearing a field keeps the stored value', () => {
    const before = tagValuesOf('team', own);
    expect(tagChanges({ ...before, models: [], new_tag: '' }, before)).toBeUndefined();
  });
});

describe('models of the upstream', () => {
  test('are listed as new, existing and removed, and change only when chosen', () => {
    const diff = diffOf(['a', 'b'], ['b', 'c', 'c']);
    expect(diff).toEqual({ fresh: ['c'], both: ['b'], gone: ['a'] });
    expect([...firstChoice(diff)]).toEqual(['b', 'a']);
    expect([...firstChoice(diffOf([], ['c']))]).toEqual(['c']);
  });

  test('what was kept in the browser is used only where it is a map of lists', () => {
    expect(keptModels('{"1":["gpt-4o"],"2":"x","3":[1]}')).toEqual({ '1': ['gpt-4o'] });
    for (const broken of ['', '[]', 'null', '{']) expect(keptModels(broken)).toEqual({});
  });
});

describe('channel tests', () => {
  test('run so many at a time, and not at all after they were stopped', async () => {
    const stop = new AbortController();
    let running = 0;
    let most = 0;
    const begun: number[] = [];
    await inParallel([1, 2, 3, 4, 5, 6, 7], { width: 3, signal: stop.signal }, async (item) => {
      begun.push(item);
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      if (item === 4) stop.abort();
      running -= 1;
    });
    expect(most).toBe(3);
    expect(begun.length).toBeLessThan(7);
  });

  test('are summed up as good, failed and the median of the good', () => {
    const done = (success: boolean, time_ms: number) => ({
      state: 'done' as const,
      probe: {
        channel_id: 1,
        channel_name: '',
        model: '',
        success,
        message: '',
        status_code: 200,
        time: 0,
        time_ms,
        first_token_ms: 0,
        prompt_tokens: 0,
        completion_tokens: 0,
        answer: '',
      },
    });
    const summary = testSummary(
      new Map<string, ModelTest>([
        ['a', done(true, 900)],
        ['b', done(true, 100)],
        ['c', done(true, 300)],
        ['d', done(false, 5)],
        ['e', { state: 'refused' as const, problem: undefined }],
        ['f', { state: 'stopped' as const }],
      ]),
    );
    expect(summary).toEqual({ ok: 3, failed: 2, medianMs: 300, working: ['a', 'b', 'c'] });
  });

  test('of all channels come as events, wherever the stream is cut', async () => {
    async function* pieces() {
      yield 'event: result\ndata: {"a"';
      yield ':1}\n';
      yield '\n: still testing\n\nevent: end\ndata: null\n\nevent: cut';
    }
    const events: unknown[] = [];
    for await (const event of serverEvents(pieces())) events.push(event);
    expect(events).toEqual([
      { name: 'result', data: '{"a":1}' },
      { name: 'end', data: 'null' },
    ]);
  });
});
