import { useCallbackRef } from '@mantine/hooks';
import {
  IconBan,
  IconCircleCheck,
  IconCopy,
  IconCopyPlus,
  IconListDetails,
  IconMessageCircle,
  IconTrash,
} from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { TOKEN_STATUS } from '../../../../../src/domain/statuses.ts';
import type { RowAction } from '../../../components/data-table/columns.ts';
import { RowIcon } from '../../../components/data-table/RowIcon.tsx';
import { copyText } from '../../../components/display/copy.tsx';
import { confirm } from '../../../components/layout/confirm.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { wholeKey } from '../../../hooks/useEnabledToken.ts';
import { patchRow } from '../../../lib/api/cached-rows.ts';
import { tokenKeys } from '../../../lib/api/query-keys.ts';
import { linkTo } from '../../../lib/browser/page-links.ts';
import { STORED, useStored } from '../../../lib/browser/stored.ts';
import { useBaseUrl } from '../../../lib/site/base-url.ts';
import { chatsOf, chatUrl } from '../../../lib/site/chat-links.ts';
import { useCellText } from '../../../lib/text/cell-text.ts';
import { enableProblem, isEnabled, type Token, tokens } from '../calls.ts';

const ICON = { size: 16 };

/** Shared by all rows. */
const ICONS = {
  copy: <IconCopy {...ICON} />,
  use: <RowIcon name="code" />,
  edit: <RowIcon name="edit" />,
  chat: <IconMessageCircle {...ICON} />,
  enable: <IconCircleCheck {...ICON} />,
  disable: <IconBan {...ICON} />,
  duplicate: <IconCopyPlus {...ICON} />,
  logs: <IconListDetails {...ICON} />,
  delete: <IconTrash {...ICON} />,
} as const;

interface FormOpeners {
  readonly onUse: (token: Token) => void;
  readonly onEdit: (id: number) => void;
  readonly onDuplicate: (id: number) => void;
}

/** Actions on one token. */
export function useTokenActions(openers: FormOpeners): (token: Token) => readonly RowAction[] {
  const t = useCellText();
  const navigate = useNavigate();
  const chats = useChatItems();
  const setStatus = useCallbackRef(useStatusSwitch());
  const remove = useRemoval();
  const onUse = useCallbackRef(openers.onUse);
  const onEdit = useCallbackRef(openers.onEdit);
  const onDuplicate = useCallbackRef(openers.onDuplicate);
  const enable = useCallbackRef(async (token: Token) => {
    const problem = enableProblem(token, Date.now() / 1000);
    if (problem === undefined) return setStatus(token, TOKEN_STATUS.enabled);
    const wantsEdit = await confirm({
      title: t('token.cannotEnable', { name: token.name }),
      text: t(problem === 'time' ? 'token.lacksTime' : 'token.lacksQuota'),
      verb: t('token.editIt'),
    });
    if (wantsEdit) onEdit(token.id);
  });
  return useCallback(
    (token) => [
      {
        key: 'copy',
        label: t('token.copyKey'),
        icon: ICONS.copy,
        onClick: () => copyKey(token, t('action.copied')),
      },
      {
        key: 'use',
        label: t('token.use'),
        icon: ICONS.use,
        isPrimary: true,
        onClick: () => onUse(token),
      },
      {
        key: 'edit',
        label: t('action.edit'),
        icon: ICONS.edit,
        isPrimary: true,
        onClick: () => onEdit(token.id),
      },
      ...chats(token),
      isEnabled(token)
        ? {
            key: 'disable',
            label: t('action.disable'),
            icon: ICONS.disable,
            onClick: () => setStatus(token, TOKEN_STATUS.disabled),
          }
        : {
            key: 'enable',
            label: t('action.enable'),
            icon: ICONS.enable,
            onClick: () => enable(token),
          },
      {
        key: 'duplicate',
        label: t('token.duplicate'),
        icon: ICONS.duplicate,
        onClick: () => onDuplicate(token.id),
      },
      {
        key: 'logs',
        label: t('common.viewLogs'),
        icon: ICONS.logs,
        onClick: () => navigate(linkTo('/app/logs/api-usage', { token_id: token.id })),
      },
      {
        key: 'delete',
        label: t('action.delete'),
        icon: ICONS.delete,
        isDanger: true,
        onClick: () => remove(token),
      },
    ],
    [t, navigate, chats, setStatus, remove, onUse, onEdit, onDuplicate, enable],
  );
}

async function copyKey(token: Token, done: string): Promise<void> {
  try {
    if (await copyText(await wholeKey(token))) toast.success(done);
  } catch (error) {
    toast.failure(error);
  }
}

/** The site's chat applications, each opened with this token's key. */
function useChatItems() {
  const t = useCellText();
  const [text] = useStored(STORED.chats);
  const address = useBaseUrl();
  const entries = useMemo(
    () => chatsOf(text).entries.filter((entry) => entry !== undefined),
    [text],
  );
  const open = useCallbackRef(async (token: Token, template: string) => {
    try {
      const url = chatUrl(template, { address, key: await wholeKey(token) });
      if (url === undefined) toast.error(t('token.chatBroken'));
      else window.open(url, '_blank', 'noopener');
    } catch (error) {
      toast.failure(error);
    }
  });
  return useCallback(
    (token: Token): readonly RowAction[] =>
      entries.length === 0
        ? []
        : [
            {
              key: 'chat',
              label: t('nav.chats'),
              icon: ICONS.chat,
              items: entries.map(({ name, url }, index) => ({
                key: `${index} ${name}`,
                label: name,
                onClick: () => open(token, url),
              })),
              refusal: isEnabled(token) ? undefined : t('token.notEnabled'),
            },
          ],
    [t, entries, open],
  );
}

function useRemoval() {
  const { t } = useTranslation();
  return useAction(({ id }: Token) => tokens.remove({ id }), {
    touches: [tokenKeys],
    done: (_, { name }) => t('token.deleted', { name }),
    confirm: ({ name }) => ({
      title: t('token.askDelete', { name }),
      text: t('token.deleteHint'),
      verb: t('token.verbDelete'),
      isDanger: true,
    }),
  }).run;
}

/** Optimistic: the row changes at once, is rolled back on refusal, and can be undone for 6 s. */
function useStatusSwitch() {
  const { t } = useTranslation();
  const cache = useQueryClient();
  return async function switchTo(token: Token, status: 1 | 2, isUndo = false): Promise<void> {
    const { id } = token;
    patchRow(cache, tokenKeys, id, { status });
    try {
      const now = await tokens.edit({ id, status, status_only: true });
      patchRow(cache, tokenKeys, id, { status: now.status });
      const wasEnabled = isEnabled(token);
      const undo = () =>
        void switchTo(now, wasEnabled ? TOKEN_STATUS.enabled : TOKEN_STATUS.disabled, true);
      const done = t(status === TOKEN_STATUS.enabled ? 'token.enabled' : 'token.disabled');
      toast.success(done, isUndo ? {} : { undo });
    } catch (error) {
      patchRow(cache, tokenKeys, id, { status: token.status });
      toast.failure(error);
    }
  };
}
