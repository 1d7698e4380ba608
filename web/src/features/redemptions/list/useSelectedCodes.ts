import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { copyText } from '../../../components/display/copy.tsx';
import { confirm } from '../../../components/layout/confirm.tsx';
import { say } from '../../../components/layout/toasts.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { type Redemption, redemptionKeys, redemptions } from '../calls.ts';

export type Chosen = ReturnType<typeof useChosen>;

/** The selected codes of the current page; changing the page clears the selection. */
export function useChosen(rows: readonly Redemption[]) {
  const { t } = useTranslation();
  const [marked, setIds] = useState<ReadonlySet<string | number>>(new Set());
  // Stable while the selection is unchanged, so that rows do not re-render.
  const chosen = useMemo(() => rows.filter(({ id }) => marked.has(id)), [rows, marked]);
  const ids = useMemo(() => new Set(chosen.map(({ id }) => id)), [chosen]);
  const clear = () => setIds(new Set());
  const disabling = useAction((ids: number[]) => redemptions.batchDisable({ ids }), {
    touches: [redemptionKeys],
    done: (count) => t('redemption.disabled', { count }),
    onDone: clear,
  });
  const disable = async () => {
    if (chosen.length === 0) return say.error(t('redemption.chooseFirst'));
    const isSure = await confirm({
      title: t('redemption.askDisable', { count: chosen.length }),
      text: t('redemption.disableHint'),
      verb: t('redemption.verbDisable', { count: chosen.length }),
    });
    if (isSure) disabling.mutate(chosen.map(({ id }) => id));
  };
  const copy = async () => {
    const isCopied = await copyText(chosen.map(({ key }) => key).join('\n'));
    if (isCopied) say.success(t('redemption.copied', { count: chosen.length }));
  };
  return { ids, setIds, clear, disable, copy };
}
