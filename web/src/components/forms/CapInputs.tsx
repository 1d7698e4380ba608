import { Group, NumberInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { CapField } from '../../lib/pricing/caps.ts';

interface CapInputsProps {
  readonly values: Readonly<Record<CapField, number>>;
  readonly errors: Readonly<Partial<Record<CapField, ReactNode>>>;
  readonly onChange: (field: CapField, value: number) => void;
}

/** Inputs for concurrent calls and tokens per minute; 0 is no limit. */
export function CapInputs({ values, errors, onChange }: CapInputsProps) {
  const { t } = useTranslation();
  return (
    <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
      {(['max_concurrency', 'tokens_per_minute'] as const).map((field) => (
        <NumberInput
          key={field}
          label={t(`part.caps.${field}`)}
          description={t('part.caps.none')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={values[field]}
          error={errors[field]}
          min={0}
          miw={140}
          clampBehavior="none"
          thousandSeparator=","
          onChange={(typed) => onChange(field, Number(typed))}
        />
      ))}
    </Group>
  );
}
