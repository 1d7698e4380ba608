import { useCallbackRef } from '@mantine/hooks';
import { IconCopy, IconEye, IconQrcode, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { REDEMPTION_STATUS } from '../../../../../src/domain/statuses.ts';
import type { RowAction } from '../../../components/data-table/columns.ts';
import { RowIcon } from '../../../components/data-table/RowIcon.tsx';
import { copyText } from '../../../components/display/copy.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { patchRow } from '../../../lib/api/cached-rows.ts';
import { redemptionKeys } from '../../../lib/api/query-keys.ts';
import { useCellText } from '../../../lib/text/cell-text.ts';
import { type Redemption, redemptions } from '../calls.ts';

const ICON = { size: 16 };

/** Shared by all rows. */
const ICONS = {
  edit: <RowIcon name="edit" />,
  enable: <RowIcon name="circleCheck" />,
  disable: <RowIcon name="ban" />,
  view: <IconEye {...ICON} />,
  copy: <IconCopy {...ICON} />,
  qr: <IconQrcode {...ICON} />,
  delete: <IconTrash {...ICON} />,
} as const;
const { unused, disabled, used } = REDEMPTION_STATUS;

interface FormOpeners {
  readonly onView: (id: number) => void;
  readonly onEdit: (id: number) => void;
  readonly onQr: (code: Redemption) => void;
}

/** Actions on one code. */
export function useCodeActions(openers: FormOpeners): (code: Redemption) => readonly RowAction[] {
  const t = useCellText();
  const setStatus = useCallbackRef(useStatusSwitch());
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
    (code) => [
      {
        key: 'edit',
        label: t('action.edit'),
        icon: ICONS.edit,
        isPrimary: true,
        onClick: () => onEdit(code.id),
        refusal: code.status === unused ? undefined : t('redemption.refused.edit'),
      },
      code.status === unused
        ? {
            key: 'disable',
            label: t('action.disable'),
            icon: ICONS.disable,
            isPrimary: true,
            onClick: () => setStatus(code, disabled),
          }
        : {
            key: 'enable',
            label: t('action.enable'),
            icon: ICONS.enable,
            isPrimary: true,
            onClick: () => setStatus(code, unused),
            refusal: code.status === used ? t('redemption.refused.enable') : undefined,
          },
      {
        key: 'view',
        label: t('action.view'),
        icon: ICONS.view,
        onClick: () => onView(code.id),
      },
      {
        key: 'copy',
        label: t('redemption.copyKey'),
        icon: ICONS.copy,
        onClick: async () => {
          if (await copyText(code.key)) toast.success(t('action.copied'));
        },
      },
      {
        key: 'qr',
        label: t('redemption.qr'),
        icon: ICONS.qr,
        onClick: () => onQr(code),
      },
      {
        key: 'delete',
        label: t('action.delete'),
        icon: ICONS.delete,
        isDanger: true,
        onClick: () => remove.run(code),
      },
    ],
    [t, setStatus, onView, onEdit, onQr, remove.run],
  );
}

/** Optimistic: the row changes at once, is rolled back on refusal, and can be undone for 6 s. */
function useStatusSwitch() {
  const { t } = useTranslation();
  const cache = useQueryClient();
  return async function switchTo(code: Redemption, status: number, isUndo = false): Promise<void> {
    const { id } = code;
    patchRow(cache, redemptionKeys, id, { status });
    try {
      const now = await redemptions.edit({ id, status, status_only: true });
      patchRow(cache, redemptionKeys, id, now);
      void cache.invalidateQueries({ queryKey: redemptionKeys.one(id) });
      const undo = () => void switchTo(now, code.status, true);
      const done = t(status === disabled ? 'redemption.switchedOff' : 'redemption.switchedOn');
      toast.success(done, isUndo ? {} : { undo });
    } catch (error) {
      patchRow(cache, redemptionKeys, id, { status: code.status });
      toast.failure(error);
    }
  };
}
