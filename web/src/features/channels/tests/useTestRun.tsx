import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { problemText } from '../../../components/forms/call-problem.ts';
import { confirm } from '../../../components/layout/confirm.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { ApiError } from '../../../lib/api/api.ts';
import { channelKeys } from '../../../lib/api/query-keys.ts';
import { durationText } from '../../../lib/text/dates.ts';
import { channelProbe, channelTests, type Probe } from '../calls.ts';
import { JobToast } from './JobToast.tsx';
import type { ChannelResult } from './ResultsDialog.tsx';
import { serverEvents } from './read-events.ts';
import { inParallel, testOutcome } from './test-results.ts';

const TOAST = 'channel-tests';
const TICK_MS = 1_000;
const RETRIES_AT_ONCE = 4;
const NEVER = new AbortController().signal;

/** The stream's event for a channel: the fields of a test, and whether the run disabled it. */
type StreamedResult = Probe & { readonly disabled: boolean };

export interface TestRun {
  readonly results: readonly ChannelResult[];
  readonly isRunning: boolean;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
  readonly onClose: () => void;
  /** Tests these channels again and replaces their results. */
  readonly retry: (ids: readonly number[]) => Promise<void>;
  /** Channels being retested. */
  readonly retried: ReadonlySet<number>;
}

function useTestRun(): TestRun & { follow(total: number | undefined): Promise<void> } {
  const cache = useQueryClient();
  const showProgress = useProgress(() => setOpen(true));
  const [results, setResults] = useState<readonly ChannelResult[]>([]);
  const [isRunning, setRunning] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const refresh = () => cache.invalidateQueries({ queryKey: channelKeys.all });
  const retries = useRetries(setResults, refresh);
  const follow = async (total: number | undefined) => {
    const begun = Date.now();
    const found: ChannelResult[] = [];
    let shown = 0;
    const show = () => {
      showProgress(found, total, begun);
      if (found.length === shown) return;
      shown = found.length;
      setResults([...found]);
      void refresh();
    };
    setResults([]);
    setRunning(true);
    show();
    // By timer and not per result: the last result of a burst must not wait for a later one.
    const ticking = setInterval(show, TICK_MS);
    try {
      for await (const result of streamedResults()) found.push(resultOf(result));
      setOpen(true);
    } catch (error) {
      toast.failure(error);
    } finally {
      clearInterval(ticking);
      setResults(found);
      setRunning(false);
      toast.endProgress(TOAST);
      await refresh();
    }
  };
  const panel = { isOpen, onOpen: () => setOpen(true), onClose: () => setOpen(false) };
  return { follow, results, isRunning, ...panel, ...retries };
}

async function* streamedResults(): AsyncGenerator<StreamedResult> {
  const pieces = await channelTests.stream({});
  // the route's format is `stream`
  for await (const { name, data } of serverEvents(pieces as AsyncIterable<string>))
    if (name === 'result') yield JSON.parse(data) as StreamedResult; // as the server sends it
}

function useProgress(onOpen: () => void) {
  const { t } = useTranslation();
  const stop = () => void channelTests.stop({}).catch(toast.failure);
  return (found: readonly ChannelResult[], total: number | undefined, begun: number) => {
    const off = found.filter(({ isSwitchedOff }) => isSwitchedOff).length;
    const text = t('channel.testAll.progress', {
      done: found.length,
      total: total ?? '?',
      failed: found.filter(({ isOk }) => !isOk).length,
      time: durationText(Date.now() - begun),
    });
    const offText = off > 0 ? t('channel.testAll.switchedOff', { count: off }) : '';
    toast.progress(
      TOAST,
      <JobToast text={[text, offText].filter(Boolean).join(' · ')} onShow={onOpen} onStop={stop} />,
    );
  };
}

function useRetries(
  setResults: (change: (before: readonly ChannelResult[]) => readonly ChannelResult[]) => void,
  refresh: () => Promise<void>,
) {
  const { t } = useTranslation();
  const [retried, setRetried] = useState<ReadonlySet<number>>(new Set());
  const test = async (id: number) => {
    const outcome = await testOutcome(() => channelProbe.test({ id }), NEVER);
    if (outcome.state === 'done') {
      const result = resultOf({ ...outcome.probe, disabled: false });
      setResults((before) => before.map((one) => (one.id === id ? result : one)));
    } else if (outcome.state === 'refused') toast.error(problemText(t, outcome.problem));
    setRetried((before) => new Set([...before].filter((one) => one !== id)));
  };
  const retry = async (ids: readonly number[]) => {
    setRetried((before) => new Set([...before, ...ids]));
    await inParallel(ids, { width: RETRIES_AT_ONCE, signal: NEVER }, test);
    await refresh();
  };
  return { retry, retried };
}

function resultOf(result: StreamedResult): ChannelResult {
  const { channel_id: id, channel_name: name, success, disabled, model, time_ms } = result;
  const { status_code, message } = result;
  const outcome = success ? durationText(time_ms) : message || `HTTP ${status_code}`;
  return {
    id,
    name,
    isOk: success,
    isSwitchedOff: disabled,
    text: [model, outcome].filter(Boolean).join(' · '),
    exported: {
      id,
      name,
      success: String(success),
      switched_off: String(disabled),
      model,
      time_ms,
      status_code,
      message,
    },
  };
}

/**
 * The gateway runs the test of all channels; its results are shown as they arrive. A run already in
 * progress is followed too.
 */
export function useTestAll(): { begin(): Promise<void>; readonly run: TestRun } {
  const { t } = useTranslation();
  const { follow, ...run } = useTestRun();
  const begin = async () => {
    const isSure = await confirm({
      title: t('channel.testAll.ask'),
      text: t('channel.testAll.text'),
      verb: t('channel.batch.test'),
    });
    if (!isSure) return;
    try {
      const { channels } = await channelTests.begin({});
      toast.info(t('channel.testAll.begun'));
      await follow(channels);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'already_running'))
        return toast.failure(error);
      toast.info(t('channel.testAll.running'));
      await follow(undefined);
    }
  };
  return { begin, run };
}
