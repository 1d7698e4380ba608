import { useTranslation } from 'react-i18next';
import { copyText } from '../../../components/display/copy.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { useSelection } from '../../../hooks/useSelection.ts';
import { redemptionKeys } from '../../../lib/api/query-keys.ts';
import { someNames } from '../../../lib/text/lists.ts';
import { type Redemption, redemptions } from '../calls.ts';

export type SelectedCodes = ReturnType<typeof useSelectedCodes>;

/** The selected codes of the current page; changing the page clears the selection. */
export function useSelectedCodes(rows: readonly Redemption[]) {
  const { t } = useTranslation();
  const { selected, ids, setIds, clear } = useSelection(rows);
  const disabling = useAction((ids: number[]) => redemptions.batchDisable({ ids }), {
    touches: [redemptionKeys],
    done: (count) => t('redemption.disabled', { count }),
    onDone: clear,
    confirm: ({ length: count }) => ({
      title: t('redemption.askDisable', { count }),
      text: t('redemption.disableHint', { names: someNames(selected.map(({ name }) => name)) }),
      verb: t('redemption.verbDisable', { count }),
    }),
  });
  const disable = () =>
    selected.length === 0
      ? toast.error(t('redemption.chooseFirst'))
      : disabling.run(selected.map(({ id }) => id));
  const copy = async () => {
    const isCopied = await copyText(selected.map(({ key }) => key).join('\n'));
    if (isCopied) toast.success(t('redemption.copied', { count: selected.length }));
  };
  return { ids, setIds, clear, disable, copy };
}
