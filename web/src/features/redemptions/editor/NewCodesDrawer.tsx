import { useTranslation } from 'react-i18next';
import { FormDrawer } from '../../../components/forms/FormDrawer.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { useFilledForm } from '../../../hooks/useFilledForm.ts';
import { useQuotaText } from '../../../lib/pricing/quota-format.ts';
import { redemptionKeys, redemptions } from '../calls.ts';
import type { Made } from '../new-codes.ts';
import { CodeFields } from './CodeFields.tsx';
import { BLANK_CODE, type CodeValues, newCodes } from './code-form.ts';
import { useCodeForm } from './useCodeForm.ts';

interface NewCodesDrawerProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onMade: (made: Made) => void;
}

export function NewCodesDrawer({ isOpen, onClose, onMade }: NewCodesDrawerProps) {
  const { t } = useTranslation();
  const quotaText = useQuotaText();
  const form = useCodeForm(true);
  useFilledForm(form, isOpen ? 'new' : undefined, () => BLANK_CODE);
  const create = useAction(
    async (values: CodeValues): Promise<Made> => {
      const input = newCodes(values, quotaText(values.quota));
      return { name: input.name, quota: input.quota, keys: await redemptions.create(input) };
    },
    { touches: [redemptionKeys], onDone: onMade, isQuiet: true },
  );
  return (
    <FormDrawer
      isOpen={isOpen}
      onClose={onClose}
      title={t('redemption.create')}
      form={form}
      onSubmit={create.mutateAsync}
      submitLabel={t('action.create')}
    >
      <CodeFields form={form} isNew />
    </FormDrawer>
  );
}
