import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TOKEN_STATUS } from '../../../../../src/domain/statuses.ts';
import { copyText } from '../../../components/display/copy.tsx';
import { confirm } from '../../../components/layout/confirm.tsx';
import { say } from '../../../components/layout/toasts.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { type Token, tokenKeys, tokens } from '../calls.ts';

export type Chosen = ReturnType<typeof useChosen>;

interface Switching {
  readonly ids: readonly number[];
  readonly status: 1 | 2;
}

/** The selected tokens of the current page, and the actions on them. */
export function useChosen(rows: readonly Token[]) {
  const { t } = useTranslation();
  const [marked, setIds] = useState<ReadonlySet<string | number>>(new Set());
  // Stable while the selection is unchanged, so that rows do not re-render.
  const ids = useMemo(
    () => rows.filter(({ id }) => marked.has(id)).map(({ id }) => id),
    [rows, marked],
  );
  const idSet = useMemo(() => new Set<string | number>(ids), [ids]);
  const clear = () => setIds(new Set());
  const switching = useAction(
    ({ ids, status }: Switching) => tokens.setStatusMany({ ids: [...ids], status }),
    {
      touches: [tokenKeys],
      onDone: (changed, { ids, status }) => {
        const left = ids.length - changed.length;
        const key = status === TOKEN_STATUS.enabled ? 'token.enabledMany' : 'token.disabledMany';
        if (changed.length > 0) say.success(t(key, { count: changed.length }));
        if (left > 0) say.info(t('token.leftAsTheyAre', { count: left }));
        clear();
      },
    },
  );
  const removing = useAction((ids: readonly number[]) => tokens.removeMany({ ids: [...ids] }), {
    touches: [tokenKeys],
    done: (count) => t('token.deletedMany', { count }),
    onDone: clear,
  });
  const copying = useAction((ids: readonly number[]) => tokens.revealMany({ ids: [...ids] }), {
    onDone: async (shown) => {
      const lines = shown.map(({ name, key }) => `${name}\t${key}`);
      if (await copyText(lines.join('\n')))
        say.success(t('token.copiedMany', { count: shown.length }));
    },
  });
  const withSome = (act: () => unknown) => {
    if (ids.length === 0) say.error(t('token.chooseFirst'));
    else void act();
  };
  const remove = async () => {
    const isSure = await confirm({
      title: t('token.askDeleteMany', { count: ids.length }),
      text: t('token.deleteHint'),
      verb: t('token.verbDeleteMany', { count: ids.length }),
      isDanger: true,
    });
    if (isSure) removing.mutate(ids);
  };
  return {
    ids: idSet,
    setIds,
    clear,
    copy: () => withSome(() => copying.mutate(ids)),
    enable: () => withSome(() => switching.mutate({ ids, status: TOKEN_STATUS.enabled })),
    disable: () => withSome(() => switching.mutate({ ids, status: TOKEN_STATUS.disabled })),
    remove: () => withSome(remove),
  };
}
