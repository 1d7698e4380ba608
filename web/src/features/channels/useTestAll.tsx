import { Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../lib/api.ts';
import { durationText } from '../../lib/dates.ts';
import { confirm } from '../../parts/confirm.tsx';
import { say } from '../../parts/toasts.tsx';
import { channelKeys, channelTests, type Probe } from './calls.ts';
import type { ChannelResult, ResultsPanel } from './ResultsDialog.tsx';
import { serverEvents } from './sse.ts';

const TOAST = 'channel-tests';
const REFRESH_MS = 2_000;

/**
 * The test of all channels runs in the gateway; here its results are followed as they come. One that
 * runs already is followed too.
 */
export function useTestAll(): { begin(): Promise<void>; readonly panel: ResultsPanel } {
  const { t } = useTranslation();
  const follow = useFollower();
  const begin = async () => {
    const isSure = await confirm({
      title: t('channel.testAll.ask'),
      text: t('channel.testAll.text'),
      verb: t('channel.batch.test'),
    });
    if (!isSure) return;
    try {
      const { channels } = await channelTests.begin({});
      say.info(t('channel.testAll.begun'));
      await follow.run(channels);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'already_running'))
        return say.failure(error);
      say.info(t('channel.testAll.running'));
      await follow.run(undefined);
    }
  };
  return { begin, panel: follow.panel };
}

function useFollower() {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [results, setResults] = useState<readonly ChannelResult[]>([]);
  const [isOpen, setOpen] = useState(false);
  const run = async (total: number | undefined) => {
    const stop = new AbortController();
    const begun = Date.now();
    const found: ChannelResult[] = [];
    let refreshedAt = begun;
    const tell = () =>
      say.progress(
        TOAST,
        <Progress
          text={t('channel.testAll.progress', {
            done: found.length,
            total: total ?? '?',
            failed: found.filter(({ isOk }) => !isOk).length,
            time: durationText(Date.now() - begun),
          })}
          onStop={() => stop.abort()}
        />,
      );
    tell();
    const ticking = setInterval(tell, 1_000);
    try {
      const pieces = await channelTests.stream({}, { signal: stop.signal });
      for await (const { name, data } of serverEvents(pieces as AsyncIterable<string>)) {
        // the row's wire is `stream`
        if (name !== 'result') continue;
        found.push(resultOf(JSON.parse(data) as Probe)); // the stream sends the fields of a probe
        if (Date.now() - refreshedAt < REFRESH_MS) continue;
        refreshedAt = Date.now();
        void cache.invalidateQueries({ queryKey: channelKeys.all });
      }
      setResults(found);
      setOpen(true);
    } catch (error) {
      if (!stop.signal.aborted) say.failure(error);
    } finally {
      clearInterval(ticking);
      say.endProgress(TOAST);
      await cache.invalidateQueries({ queryKey: channelKeys.all });
    }
  };
  return { run, panel: { results, isOpen, onClose: () => setOpen(false) } };
}

function resultOf({
  channel_id,
  channel_name,
  success,
  message,
  model,
  time_ms,
}: Probe): ChannelResult {
  return {
    id: channel_id,
    name: channel_name,
    isOk: success,
    text: [model, success ? durationText(time_ms) : message].filter(Boolean).join(' · '),
  };
}

export function Progress({
  text,
  onStop,
}: {
  readonly text: string;
  readonly onStop?: () => void;
}) {
  const { t } = useTranslation();
  return (
    <Group gap="xs" justify="space-between" wrap="nowrap">
      <Text size="sm">{text}</Text>
      {onStop && (
        <Button size="compact-xs" variant="default" onClick={onStop}>
          {t('channel.testAll.stop')}
        </Button>
      )}
    </Group>
  );
}
