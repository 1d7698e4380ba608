import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '../../../components/forms/FormDrawer.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { useFilledForm } from '../../../hooks/useFilledForm.ts';
import { tokenKeys } from '../../../lib/api/query-keys.ts';
import { type Token, tokens } from '../calls.ts';
import type { TokenFormTarget } from '../list/open-tokens.ts';
import { TokenFields, useTokenForm } from './TokenFields.tsx';
import {
  BLANK_TOKEN,
  copyValues,
  newToken,
  type TokenValues,
  tokenEdit,
  tokenValues,
} from './token-form.ts';

interface TokenDrawerProps {
  readonly opened: TokenFormTarget;
  readonly onClose: () => void;
  /** With whole keys, which later responses omit. */
  readonly onMade: (made: readonly Token[]) => void;
}

export function NewTokenDrawer({ opened, onClose, onMade }: TokenDrawerProps) {
  const { t } = useTranslation();
  const source = useToken(opened.kind === 'copy' ? opened.id : undefined, onClose);
  const isOpen = opened.kind === 'new' || (opened.kind === 'copy' && source !== undefined);
  const form = useTokenForm(true);
  useFilledForm(form, isOpen ? `${opened.kind} ${source?.id ?? ''}` : undefined, () =>
    opened.kind === 'copy' && source
      ? copyValues(source, t('token.copyName', { name: source.name }), Date.now() / 1000)
      : BLANK_TOKEN,
  );
  const create = useAction((values: TokenValues) => tokens.create(newToken(values)), {
    touches: [tokenKeys],
    onDone: ({ tokens }) => onMade(tokens),
    isQuiet: true,
  });
  return (
    <FormDrawer
      isOpen={isOpen}
      onClose={onClose}
      title={t('token.create')}
      form={form}
      onSubmit={create.mutateAsync}
      submitLabel={t('action.create')}
    >
      <TokenFields form={form} isNew />
    </FormDrawer>
  );
}

export function EditTokenDrawer({ opened, onClose }: Omit<TokenDrawerProps, 'onMade'>) {
  const { t } = useTranslation();
  const token = useToken(opened.kind === 'edit' ? opened.id : undefined, onClose);
  const form = useTokenForm(false);
  useFilledForm(form, token?.id, () => (token ? tokenValues(token) : BLANK_TOKEN));
  const save = useAction(
    (values: TokenValues) =>
      tokens.edit(tokenEdit(token?.id ?? 0, values, form.getInitialValues())),
    { touches: [tokenKeys], done: () => t('token.saved'), isQuiet: true },
  );
  return (
    <FormDrawer
      isOpen={token !== undefined}
      onClose={onClose}
      title={t('token.edit', { name: token?.name ?? '' })}
      form={form}
      onSubmit={save.mutateAsync}
      submitLabel={t('action.save')}
    >
      <TokenFields form={form} isNew={false} />
    </FormDrawer>
  );
}

/** The current token; if it cannot be loaded, closes the drawer with a toast. */
function useToken(id: number | undefined, onClose: () => void): Token | undefined {
  const { data, error } = useQuery({
    queryKey: tokenKeys.one(id ?? 0),
    queryFn: ({ signal }) => tokens.get({ id: id ?? 0 }, { signal }),
    enabled: id !== undefined,
    staleTime: 0,
    gcTime: 0,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes once per refusal
  useEffect(() => {
    if (error === null || id === undefined) return;
    toast.failure(error);
    onClose();
  }, [error]);
  return id === undefined ? undefined : data;
}
