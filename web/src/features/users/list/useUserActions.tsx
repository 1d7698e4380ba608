import { useCallbackRef } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { ManageAction } from '../../../../../src/domain/roles.ts';
import { USER_STATUS } from '../../../../../src/domain/statuses.ts';
import type { RowAction } from '../../../components/data-table/columns.ts';
import { rowActions } from '../../../components/data-table/row-actions.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { useStatusSwitch } from '../../../hooks/useStatusSwitch.ts';
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

interface Managed {
  readonly user: User;
  readonly action: Exclude<ManageAction, 'enable' | 'disable'>;
}

/** Actions on accounts. The row is updated from the response, without refetching the list. */
export function useManageUser() {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const setStatus = useStatusSwitch<User, number>({
    keys: userKeys,
    send: (id, status) =>
      users.manage({ id, action: status === USER_STATUS.enabled ? 'enable' : 'disable' }),
    done: () => t('user.done'),
    before: ({ status }) => status,
  });
  const manage = useAction(({ user: { id }, action }: Managed) => users.manage({ id, action }), {
    done: () => t('user.done'),
    onDone: ({ role, status }, { user, action }) => {
      const closed = action === 'delete' && { DeletedAt: new Date().toISOString() };
      patchRow(cache, userKeys, user.id, { role, status, ...closed });
    },
    confirm: ({ user: { username: name }, action }) => ({
      title: t(`user.ask.${action}`, { name }),
      text: t(`user.consequence.${action}`),
      verb: t(`user.verb.${action}`, { name }),
      isDanger: action === 'delete',
    }),
  });
  const ask = (user: User, action: ManageAction) => {
    if (action === 'enable') return setStatus(user, USER_STATUS.enabled);
    if (action === 'disable') return setStatus(user, USER_STATUS.banned);
    manage.run({ user, action });
  };
  return { busyId: manage.isPending ? manage.variables.user.id : undefined, ask };
}
