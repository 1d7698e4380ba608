import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { problemText } from '../../../components/forms/call-problem.ts';
import { MomentInput } from '../../../components/forms/MomentInput.tsx';
import { confirm } from '../../../components/layout/confirm.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { logKeys } from '../../../lib/api/query-keys.ts';
import { dateTimeText } from '../../../lib/text/dates.ts';
import { logCleanup } from '../calls.ts';

const MONTH_SEC = 30 * 86_400;

export function ClearLogs() {
  const { t } = useTranslation();
  const [before, setBefore] = useState<number | undefined>(
    () => Math.floor(Date.now() / 1000) - MONTH_SEC,
  );
  const [soFar, setSoFar] = useState(0);
  const clearAll = async (before: number) => {
    let count = 0;
    for (let isDone = false; !isDone; ) {
      const part = await logCleanup.clearPart({ before });
      isDone = part.is_done;
      count += part.deleted;
      setSoFar(count);
    }
    return count;
  };
  const clear = useAction(clearAll, {
    touches: [logKeys],
    done: (count) => t('setting.clear.done', { count }),
    onFailed: (error) => toast.error(t('setting.clear.failed', { problem: problemText(t, error) })),
  });
  const ask = async () => {
    if (before === undefined) return toast.error(t('setting.clear.noTime'));
    const older = { p: 1, page_size: 1, end_timestamp: before - 1 };
    const found = await logCleanup.list(older).catch(toast.failure);
    if (!found) return;
    const text = found.total_is_estimate ? 'setting.clear.textMany' : 'setting.clear.text';
    const isSure = await confirm({
      title: t('setting.clear.ask', { time: dateTimeText(before) }),
      text: t(text, { count: found.total }),
      verb: t('setting.clear.do'),
      typed: t('setting.clear.typed'),
      isDanger: true,
    });
    if (!isSure) return;
    setSoFar(0);
    clear.mutate(before);
  };
  return (
    <Stack gap="xs" mt="lg">
      <Title order={3}>{t('setting.clear.title')}</Title>
      <Group align="flex-end">
        <MomentInput label={t('setting.clear.before')} value={before} onChange={setBefore} />
        <Button
          variant="outline"
          color="danger"
          loading={clear.isPending}
          onClick={() => void ask()}
        >
          {t('setting.clear.do')}
        </Button>
        {clear.isPending && soFar > 0 && (
          <Text aria-live="polite">{t('setting.clear.soFar', { count: soFar })}</Text>
        )}
      </Group>
    </Stack>
  );
}
