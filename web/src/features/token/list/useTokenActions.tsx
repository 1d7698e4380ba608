import { useCallbackRef } from '@mantine/hooks';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { TOKEN_STATUS } from '../../../../../src/domain/statuses.ts';
import type { RowAction } from '../../../components/data-table/columns.ts';
import { rowActions } from '../../../components/data-table/row-actions.tsx';
import { copyText } from '../../../components/display/copy.tsx';
import { confirm } from '../../../components/layout/confirm.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { wholeKey } from '../../../hooks/useEnabledToken.ts';
import { useStatusSwitch } from '../../../hooks/useStatusSwitch.ts';
import { tokenKeys } from '../../../lib/api/query-keys.ts';
import { linkTo } from '../../../lib/browser/page-links.ts';
import { STORED, useStored } from '../../../lib/browser/stored.ts';
import { useBaseUrl } from '../../../lib/site/base-url.ts';
import { chatsOf, chatUrl } from '../../../lib/site/chat-links.ts';
import { useCellText } from '../../../lib/text/cell-text.ts';
import { enableProblem, isEnabled, type Token, tokens } from '../calls.ts';

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
  const setStatus = useTokenStatus();
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
    (token) => {
      const [disable, logs] = [
        () => setStatus(token, TOKEN_STATUS.disabled),
        () => navigate(linkTo('/app/logs/api-usage', { token_id: token.id })),
      ];
      return rowActions(t, {
        copy: { label: t('token.copyKey'), onClick: () => copyKey(token, t('action.copied')) },
        use: { label: t('token.use'), isPrimary: true, onClick: () => onUse(token) },
        edit: { isPrimary: true, onClick: () => onEdit(token.id) },
        chat: chats(token),
        disable: isEnabled(token) ? { onClick: disable } : undefined,
        enable: isEnabled(token) ? undefined : { onClick: () => enable(token) },
        duplicate: { label: t('token.duplicate'), onClick: () => onDuplicate(token.id) },
        logs: { onClick: logs },
        delete: { onClick: () => remove(token) },
      });
    },
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
    (token: Token) =>
      entries.length === 0
        ? undefined
        : {
            label: t('nav.chats'),
            items: entries.map(({ name, url }, index) => ({
              key: `${index} ${name}`,
              label: name,
              onClick: () => open(token, url),
            })),
            refusal: isEnabled(token) ? undefined : t('token.notEnabled'),
          },
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

function useTokenStatus() {
  const { t } = useTranslation();
  return useStatusSwitch<Token, 1 | 2>({
    keys: tokenKeys,
    send: async (id, status) => {
      const now = await tokens.edit({ id, status, status_only: true });
      return { status: now.status };
    },
    done: (status) => t(status === TOKEN_STATUS.enabled ? 'token.enabled' : 'token.disabled'),
    before: (token) => (isEnabled(token) ? TOKEN_STATUS.enabled : TOKEN_STATUS.disabled),
  });
}
