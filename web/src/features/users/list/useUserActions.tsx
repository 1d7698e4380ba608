import { useCallbackRef } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { ManageAction } from '../../../../../src/domain/roles.ts';
import { USER_STATUS } from '../../../../../src/domain/statuses.ts';
import type { RowAction } from '../../../components/data-table/columns.ts';
import { rowActions } from '../../../components/data-table/row-actions.tsx';
import { confirm } from '../../../components/layout/confirm.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { patchRow } from '../../../lib/api/cached-rows.ts';
import { userKeys } from '../../../lib/api/query-keys.ts';
import { linkTo } from '../../../lib/browser/page-links.ts';
import { useUser } from '../../../lib/session/session.ts';
import { useCellText } from '../../../lib/text/cell-text.ts';
import { type User, users } from '../calls.ts';
import { refusalOf } from '../refusals.ts';

interface FormOpeners {
  readonly onManage: (user: User, action: ManageAction) => unknown;
  readonly onEdit: (id: number) => void;
  readonly onTokens: (id: number) => void;
}

/** Actions the user may take on an account; none on a closed one. */
export function useUserActions(openers: FormOpeners): (user: User) => readonly RowAction[] {
  const t = useCellText();
  const navigate = useNavigate();
  const { id = 0, role = 0 } = useUser() ?? {};
  const onManage = useCallbackRef(openers.onManage);
  const onEdit = useCallbackRef(openers.onEdit);
  const onTokens = useCallbackRef(openers.onTokens);
  return useCallback(
    (user) => {
      if (user.DeletedAt !== null) return [];
      const isOwn = user.id === id;
      const refusal = (action: ManageAction | 'edit') => {
        const reason = refusalOf(action, { id, role }, user);
        return reason && t(`user.refused.${reason}`);
      };
      const managing = (action: ManageAction) => ({
        label: t(`user.action.${action}`),
        onClick: () => onManage(user, action),
        refusal: refusal(action),
      });
      const others = isOwn ? undefined : refusal('edit');
      const isOn = user.status === USER_STATUS.enabled;
      return rowActions(t, {
        edit: {
          isPrimary: true,
          onClick: () => (isOwn ? navigate('/user/edit') : onEdit(user.id)),
          refusal: refusal('edit'),
        },
        disable: isOn ? { ...managing('disable'), isPrimary: true } : undefined,
        enable: isOn ? undefined : { ...managing('enable'), isPrimary: true },
        promote: managing('promote'),
        demote: managing('demote'),
        logs: {
          onClick: () => navigate(linkTo('/app/logs/api-usage', { user: user.username })),
        },
        statement: {
          label: t('user.action.statement'),
          onClick: () => navigate(linkTo('/admin/statement', { user: String(user.id) })),
          refusal: others,
        },
        tokens: {
          label: t('user.action.tokens'),
          onClick: () => onTokens(user.id),
          refusal: others,
        },
        delete: managing('delete'),
      });
    },
    [t, navigate, id, role, onManage, onEdit, onTokens],
  );
}

const SWITCHED: Partial<Record<ManageAction, { status: number; back: ManageAction }>> = {
  enable: { status: USER_STATUS.enabled, back: 'disable' },
  disable: { status: USER_STATUS.banned, back: 'enable' },
};

/** Actions on accounts. The row is updated from the response, without refetching the list. */
export function useManageUser() {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [busy, setBusy] = useState<ReadonlySet<number>>(new Set());
  const mark = (id: number, isBusy: boolean) =>
    setBusy((now) => new Set(isBusy ? [...now, id] : [...now].filter((one) => one !== id)));

  const act = async (user: User, action: ManageAction, isUndo = false): Promise<void> => {
    const { id, status } = user;
    const switched = SWITCHED[action];
    mark(id, true);
    // Enabling and disabling is optimistic; irreversible actions wait for the response.
    if (switched) patchRow(cache, userKeys, id, { status: switched.status });
    try {
      const { role, status } = await users.manage({ id, action });
      const closed = action === 'delete' && { DeletedAt: new Date().toISOString() };
      patchRow(cache, userKeys, id, { role, status, ...closed });
      const undo = switched && (() => void act({ ...user, status }, switched.back, true));
      toast.success(t('user.done'), undo && !isUndo ? { undo } : {});
    } catch (error) {
      if (switched) patchRow(cache, userKeys, id, { status });
      toast.failure(error);
    } finally {
      mark(id, false);
    }
  };

  const ask = async (user: User, action: ManageAction): Promise<void> => {
    if (action === 'enable' || action === 'disable') return act(user, action);
    const isSure = await confirm({
      title: t(`user.ask.${action}`, { name: user.username }),
      text: t(`user.consequence.${action}`),
      verb: t(`user.verb.${action}`, { name: user.username }),
      isDanger: action === 'delete',
    });
    if (isSure) await act(user, action);
  };

  return { busy, ask };
}
