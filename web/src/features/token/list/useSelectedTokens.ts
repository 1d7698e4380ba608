import { useTranslation } from 'react-i18next';
import { TOKEN_STATUS } from '../../../../../src/domain/statuses.ts';
import { copyText } from '../../../components/display/copy.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { useSelection } from '../../../hooks/useSelection.ts';
import { tokenKeys } from '../../../lib/api/query-keys.ts';
import { someNames } from '../../../lib/text/lists.ts';
import { type Token, tokens } from '../calls.ts';

export type SelectedTokens = ReturnType<typeof useSelectedTokens>;

interface Switching {
  readonly ids: readonly number[];
  readonly status: 1 | 2;
}

/** The selected tokens of the current page, and the actions on them. */
export function useSelectedTokens(rows: readonly Token[]) {
  const { t } = useTranslation();
  const { selected, ids: idSet, setIds, clear } = useSelection(rows);
  const ids = selected.map(({ id }) => id);
  const switching = useAction(
    ({ ids, status }: Switching) => tokens.setStatusMany({ ids: [...ids], status }),
    {
      touches: [tokenKeys],
      onDone: (changed, { ids, status }) => {
        const left = ids.length - changed.length;
        const key = status === TOKEN_STATUS.enabled ? 'token.enabledMany' : 'token.disabledMany';
        if (changed.length > 0) toast.success(t(key, { count: changed.length }));
        if (left > 0) toast.info(t('token.leftAsTheyAre', { count: left }));
        clear();
      },
    },
  );
  const removing = useAction((ids: readonly number[]) => tokens.removeMany({ ids: [...ids] }), {
    touches: [tokenKeys],
    done: (count) => t('token.deletedMany', { count }),
    onDone: clear,
    confirm: ({ length: count }) => ({
      title: t('token.askDeleteMany', { count }),
      text: t('token.deleteManyHint', { names: someNames(selected.map(({ name }) => name)) }),
      verb: t('token.verbDeleteMany', { count }),
      isDanger: true,
    }),
  });
  const copying = useAction((ids: readonly number[]) => tokens.revealMany({ ids: [...ids] }), {
    onDone: async (shown) => {
      const lines = shown.map(({ name, key }) => `${name}\t${key}`);
      if (await copyText(lines.join('\n')))
        toast.success(t('token.copiedMany', { count: shown.length }));
    },
  });
  const withSome = (act: () => void) => {
    if (ids.length === 0) toast.error(t('token.chooseFirst'));
    else act();
  };
  return {
    ids: idSet,
    setIds,
    clear,
    copy: () => withSome(() => copying.mutate(ids)),
    enable: () => withSome(() => switching.mutate({ ids, status: TOKEN_STATUS.enabled })),
    disable: () => withSome(() => switching.mutate({ ids, status: TOKEN_STATUS.disabled })),
    remove: () => withSome(() => removing.run(ids)),
  };
}
