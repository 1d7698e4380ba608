import { useTranslation } from 'react-i18next';
import { Budgets } from '../../../components/budgets/Budgets.tsx';
import {
  DraftBudget,
  draftBudget,
  saveDraftBudget,
} from '../../../components/budgets/DraftBudget.tsx';
import { useBudgetForm } from '../../../components/budgets/useBudgetForm.ts';
import { FormDrawer } from '../../../components/forms/FormDrawer.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { useFilledForm } from '../../../hooks/useFilledForm.ts';
import { useDrawerRecord } from '../../../hooks/useRecord.ts';
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
  const source = useDrawerRecord(tokenKeys, idOf(opened, 'copy'), tokens.get, onClose);
  const isOpen = opened.kind === 'new' || (opened.kind === 'copy' && source !== undefined);
  const form = useTokenForm(true);
  useFilledForm(form, isOpen ? `${opened.kind} ${source?.id ?? ''}` : undefined, () =>
    opened.kind === 'copy' && source
      ? copyValues(source, t('token.copyName', { name: source.name }), Date.now() / 1000)
      : BLANK_TOKEN,
  );
  const budget = useBudgetForm(draftBudget());
  useFilledForm(budget, isOpen ? opened.kind : undefined, draftBudget);
  const submit = async (values: TokenValues) => {
    const { hasErrors } = budget.validate();
    if (hasErrors) throw new DOMException('the budget has wrong fields', 'AbortError');
    return tokens.create(newToken(values));
  };
  return (
    <FormDrawer
      isOpen={isOpen}
      onClose={onClose}
      title={t('token.create')}
      form={form}
      onSubmit={submit}
      touches={[tokenKeys]}
      onDone={async ({ tokens }) => {
        // The keys are shown only once, so a refused budget must not hide them.
        await saveDraftBudget(budget.getValues(), tokens).catch(toast.failure);
        onMade(tokens);
      }}
      submitLabel={t('action.create')}
    >
      <TokenFields form={form} isNew />
      <DraftBudget form={budget} />
    </FormDrawer>
  );
}

export function EditTokenDrawer({ opened, onClose }: Omit<TokenDrawerProps, 'onMade'>) {
  const { t } = useTranslation();
  const token = useDrawerRecord(tokenKeys, idOf(opened, 'edit'), tokens.get, onClose);
  const form = useTokenForm(false);
  useFilledForm(form, token?.id, () => (token ? tokenValues(token) : BLANK_TOKEN));
  return (
    <FormDrawer
      isOpen={token !== undefined}
      onClose={onClose}
      title={t('token.edit', { name: token?.name ?? '' })}
      form={form}
      onSubmit={(values: TokenValues) =>
        tokens.edit(tokenEdit(token?.id ?? 0, values, form.getInitialValues()))
      }
      touches={[tokenKeys]}
      done={() => t('token.saved')}
    >
      <TokenFields form={form} isNew={false} />
      {token && <Budgets subject="token" subjectId={String(token.id)} />}
    </FormDrawer>
  );
}

function idOf(opened: TokenFormTarget, kind: 'copy' | 'edit'): string {
  return opened.kind === kind ? String(opened.id) : '';
}
