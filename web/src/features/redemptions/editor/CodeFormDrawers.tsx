import { Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '../../../components/forms/FormDrawer.tsx';
import { useFilledForm } from '../../../hooks/useFilledForm.ts';
import { useDrawerRecord } from '../../../hooks/useRecord.ts';
import { redemptionKeys } from '../../../lib/api/query-keys.ts';
import { useQuotaText } from '../../../lib/pricing/quota-format.ts';
import { type NewCodes, redemptions } from '../calls.ts';
import { CodeKindTag, Uses } from '../list/code-columns.tsx';
import { CodeFields, useCodeForm } from './CodeFields.tsx';
import { BLANK_CODE, type CodeValues, codeEdit, codeValues, newCodes } from './code-form.ts';

interface EditCodeDrawerProps {
  /** '' is closed. */
  readonly id: string;
  readonly onClose: () => void;
}

export function EditCodeDrawer({ id, onClose }: EditCodeDrawerProps) {
  const { t } = useTranslation();
  const code = useDrawerRecord(redemptionKeys, id, redemptions.get, onClose);
  const form = useCodeForm(false);
  useFilledForm(form, code?.id, () => (code ? codeValues(code) : BLANK_CODE));
  return (
    <FormDrawer
      isOpen={code !== undefined}
      onClose={onClose}
      title={t('redemption.edit', { name: code?.name ?? '' })}
      form={form}
      onSubmit={(values: CodeValues) => redemptions.edit(codeEdit(Number(id), values))}
      touches={[redemptionKeys]}
      done={() => t('redemption.saved')}
    >
      {code && (
        <Group fz="sm">
          <CodeKindTag isGift={code.is_gift} />
          {code.is_gift && <Uses code={code} />}
        </Group>
      )}
      <CodeFields form={form} isNew={false} />
    </FormDrawer>
  );
}

interface NewCodesDrawerProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onMade: (made: NewCodes) => void;
}

export function NewCodesDrawer({ isOpen, onClose, onMade }: NewCodesDrawerProps) {
  const { t } = useTranslation();
  const quotaText = useQuotaText();
  const form = useCodeForm(true);
  useFilledForm(form, isOpen ? 'new' : undefined, () => BLANK_CODE);
  return (
    <FormDrawer
      isOpen={isOpen}
      onClose={onClose}
      title={t('redemption.create')}
      form={form}
      onSubmit={async (values: CodeValues): Promise<NewCodes> => {
        const input = newCodes(values, quotaText(values.quota));
        return { name: input.name, quota: input.quota, keys: await redemptions.create(input) };
      }}
      touches={[redemptionKeys]}
      onDone={onMade}
      submitLabel={t('action.create')}
    >
      <CodeFields form={form} isNew />
    </FormDrawer>
  );
}
