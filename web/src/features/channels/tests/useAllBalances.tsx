import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { confirm } from '../../../components/layout/confirm.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { channelKeys } from '../../../lib/api/query-keys.ts';
import { durationText } from '../../../lib/text/dates.ts';
import { channelBalances } from '../calls.ts';
import { balanceText } from '../list/channel-cells.tsx';
import { JobToast } from './JobToast.tsx';
import type { ChannelResult, ResultsPanel } from './ResultsDialog.tsx';

const TOAST = 'channel-balances';

/** Refreshes every balance the upstreams provide. No optimistic update, because it is money. */
export function useAllBalances(): { begin(): Promise<void>; readonly panel: ResultsPanel } {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [results, setResults] = useState<readonly ChannelResult[]>([]);
  const [isOpen, setOpen] = useState(false);
  const begin = async () => {
    const isSure = await confirm({
      title: t('channel.balances.ask'),
      text: t('channel.balances.text'),
      verb: t('channel.batch.balances'),
    });
    if (!isSure) return;
    const stop = new AbortController();
    const begun = Date.now();
    const showProgress = () => {
      const text = t('channel.balances.progress', { time: durationText(Date.now() - begun) });
      toast.progress(TOAST, <JobToast text={text} onStop={() => stop.abort()} />);
    };
    showProgress();
    const ticking = setInterval(showProgress, 1_000);
    try {
      const reply = await channelBalances.updateAll({}, { signal: stop.signal });
      if (!reply.finished) toast.info(t('channel.balances.later'));
      setResults(reply.results.map(resultOf));
      setOpen(true);
    } catch (error) {
      if (!stop.signal.aborted) toast.failure(error);
    } finally {
      clearInterval(ticking);
      toast.endProgress(TOAST);
      await cache.invalidateQueries({ queryKey: channelKeys.all });
    }
  };
  return { begin, panel: { results, isOpen, onClose: () => setOpen(false) } };
}

type Reply = Awaited<ReturnType<typeof channelBalances.updateAll>>['results'][number];

function resultOf(reply: Reply): ChannelResult {
  const { channel_id: id, channel_name: name, success, message } = reply;
  const { balance, currency, disabled } = reply;
  return {
    id,
    name,
    isOk: success,
    isSwitchedOff: disabled,
    text: success ? balanceText(balance, currency) : message,
    exported: {
      id,
      name,
      success: String(success),
      switched_off: String(disabled),
      balance,
      currency,
      message,
    },
  };
}
