import { useCallbackRef } from '@mantine/hooks';
import {
  IconFileInvoice,
  IconKey,
  IconReceipt,
  IconTrash,
  IconUserDown,
  IconUserUp,
} from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type NavigateFunction, useNavigate } from 'react-router-dom';
import type { ManageAction } from '../../../../../src/domain/roles.ts';
import { USER_STATUS } from '../../../../../src/domain/statuses.ts';
import type { RowAction } from '../../../components/data-table/columns.ts';
import { RowIcon } from '../../../components/data-table/RowIcon.tsx';
import { confirm } from '../../../components/layout/confirm.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { patchRow } from '../../../lib/api/cached-rows.ts';
import { userKeys } from '../../../lib/api/query-keys.ts';
import { linkTo } from '../../../lib/browser/page-links.ts';
import { useUser } from '../../../lib/session/session.ts';
import { useCellText } from '../../../lib/text/cell-text.ts';
import { type User, users } from '../calls.ts';
import { refusalOf } from '../refusals.ts';

const ICON = { size: 16 };

/** Shared by all rows. */
const ICONS = {
  edit: <RowIcon name="edit" />,
  enable: <RowIcon name="circleCheck" />,
  disable: <RowIcon name="ban" />,
  promote: <IconUserUp {...ICON} />,
  demote: <IconUserDown {...ICON} />,
  logs: <IconReceipt {...ICON} />,
  statement: <IconFileInvoice {...ICON} />,
  tokens: <IconKey {...ICON} />,
  delete: <IconTrash {...ICON} />,
} as const;

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
  return useMemo(
    () => actionsOf({ t, navigate, reader: { id, role }, openers: { onManage, onEdit, onTokens } }),
    [t, navigate, id, role, onManage, onEdit, onTokens],
  );
}

interface ActionContext {
  readonly t: TFunction;
  readonly navigate: NavigateFunction;
  readonly reader: { readonly id: number; readonly role: number };
  readonly openers: FormOpeners;
}

function actionsOf({
  t,
  navigate,
  reader,
  openers,
}: ActionContext): (user: User) => readonly RowAction[] {
  const { onManage, onEdit, onTokens } = openers;
  return (user) => {
    if (user.DeletedAt !== null) return [];
    const refusal = (action: ManageAction | 'edit') => {
      const reason = refusalOf(action, reader, user);
      return reason && t(`user.refused.${reason}`);
    };
    const managing = (action: ManageAction): RowAction => ({
      key: action,
      label: t(`user.action.${action}`),
      icon: ICONS[action],
      onClick: () => onManage(user, action),
      refusal: refusal(action),
    });
    const isOwn = user.id === reader.id;
    return [
      {
        key: 'edit',
        label: t('action.edit'),
        icon: ICONS.edit,
        isPrimary: true,
        onClick: () => (isOwn ? navigate('/user/edit') : onEdit(user.id)),
        refusal: refusal('edit'),
      },
      {
        ...managing(user.status === USER_STATUS.enabled ? 'disable' : 'enable'),
        isPrimary: true,
      },
      managing('promote'),
      managing('demote'),
      {
        key: 'logs',
        label: t('user.action.logs'),
        icon: ICONS.logs,
        onClick: () => navigate(linkTo('/app/logs/api-usage', { user: user.username })),
      },
      {
        key: 'statement',
        label: t('user.action.statement'),
        icon: ICONS.statement,
        onClick: () => navigate(linkTo('/admin/statement', { user: String(user.id) })),
        refusal: isOwn ? undefined : refusal('edit'),
      },
      {
        key: 'tokens',
        label: t('user.action.tokens'),
        icon: ICONS.tokens,
        onClick: () => onTokens(user.id),
        refusal: isOwn ? undefined : refusal('edit'),
      },
      { ...managing('delete'), isDanger: true },
    ];
  };
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
