import { useCallbackRef } from '@mantine/hooks';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { REDEMPTION_STATUS } from '../../../../../src/domain/statuses.ts';
import type { RowAction } from '../../../components/data-table/columns.ts';
import { rowActions } from '../../../components/data-table/row-actions.tsx';
import { copyText } from '../../../components/display/copy.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { useSelection } from '../../../hooks/useSelection.ts';
import { useStatusSwitch } from '../../../hooks/useStatusSwitch.ts';
import { redemptionKeys } from '../../../lib/api/query-keys.ts';
import { useCellText } from '../../../lib/text/cell-text.ts';
import { someNames } from '../../../lib/text/lists.ts';
import { type Redemption, redemptions } from '../calls.ts';

const { unused, disabled, used } = REDEMPTION_STATUS;

interface FormOpeners {
  readonly onView: (id: number) => void;
  readonly onEdit: (id: number) => void;
  readonly onQr: (code: Redemption) => void;
}

/** Actions on one code. */
export function useCodeActions(openers: FormOpeners): (code: Redemption) => readonly RowAction[] {
  const t = useCellText();
  const setStatus = useCodeStatus();
  const onView = useCallbackRef(openers.onView);
  const onEdit = useCallbackRef(openers.onEdit);
  const onQr = useCallbackRef(openers.onQr);
  const remove = useAction(({ id }: Redemption) => redemptions.remove({ id }), {
    touches: [redemptionKeys],
    done: () => t('redemption.deleted', { count: 1 }),
    confirm: (code) => ({
      title: t('redemption.askDelete', { name: code.name }),
      text: t('redemption.deleteHint'),
      verb: t('redemption.verbDelete', { name: code.name }),
      isDanger: true,
    }),
  });
  return useCallback(
    (code) => {
      const isUnused = code.status === unused;
      const enable = {
        isPrimary: true,
        onClick: () => setStatus(code, unused),
        refusal: code.status === used ? t('redemption.refused.enable') : undefined,
      };
      return rowActions(t, {
        edit: {
          isPrimary: true,
          onClick: () => onEdit(code.id),
          refusal: isUnused ? undefined : t('redemption.refused.edit'),
        },
        disable: isUnused
          ? { isPrimary: true, onClick: () => setStatus(code, disabled) }
          : undefined,
        enable: isUnused ? undefined : enable,
        view: { onClick: () => onView(code.id) },
        copy: { label: t('redemption.copyKey'), onClick: () => copyKey(code, t('action.copied')) },
        qr: { label: t('redemption.qr'), onClick: () => onQr(code) },
        delete: { onClick: () => remove.run(code) },
      });
    },
    [t, setStatus, onView, onEdit, onQr, remove.run],
  );
}

async function copyKey({ key }: Redemption, done: string): Promise<void> {
  if (await copyText(key)) toast.success(done);
}

function useCodeStatus() {
  const { t } = useTranslation();
  return useStatusSwitch<Redemption, number>({
    keys: redemptionKeys,
    send: (id, status) => redemptions.edit({ id, status, status_only: true }),
    done: (status) => t(status === disabled ? 'redemption.switchedOff' : 'redemption.switchedOn'),
    before: ({ status }) => status,
  });
}

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
