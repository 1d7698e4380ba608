import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ManageAction } from '../../../../../src/domain/roles.ts';
import { USER_STATUS } from '../../../../../src/domain/statuses.ts';
import { confirm } from '../../../components/layout/confirm.tsx';
import { say } from '../../../components/layout/toasts.tsx';
import { patchRow } from '../../../lib/api/cached-rows.ts';
import { type User, userKeys, users } from '../calls.ts';

const SWITCHED: Partial<Record<ManageAction, { status: number; back: ManageAction }>> = {
  enable: { status: USER_STATUS.enabled, back: 'disable' },
  disable: { status: USER_STATUS.banned, back: 'enable' },
};

/** Actions on accounts. The row is updated from the response, without refetching the list. */
export function useManage() {
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
      say.success(t('user.done'), undo && !isUndo ? { undo } : {});
    } catch (error) {
      if (switched) patchRow(cache, userKeys, id, { status });
      say.failure(error);
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
