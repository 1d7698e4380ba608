import { NumberInput, type NumberInputProps, Stack } from '@mantine/core';
import { IconCurrencyDollar, IconStack2 } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { quotaText, unitsOfUsd, usdText } from '../../../../src/domain/pricing/quota-text.ts';
import { numberText } from '../../../../src/domain/text/number-text.ts';
import { useQuotaStyle } from '../../lib/pricing/quota-format.ts';
import { ToolButton } from '../display/ToolButton.tsx';
import { Picks } from './Picks.tsx';

interface QuotaInputProps
  extends Omit<NumberInputProps, 'label' | 'value' | 'defaultValue' | 'onChange' | 'picks'> {
  readonly label: string;
  /** Quota units. */
  readonly value: number;
  readonly onChange: (units: number) => void;
  /** Preset amounts in dollars. */
  readonly picks?: readonly number[];
  readonly allowsNegative?: boolean;
}

/** An amount entered in units or dollars; the other one is shown below. */
export function QuotaInput(props: QuotaInputProps) {
  const { label, value, onChange, picks = [], allowsNegative = false, ...input } = props;
  const { t } = useTranslation();
  const { quotaPerUnit } = useQuotaStyle();
  const [inDollars, setInDollars] = useState(true);
  const change = (typed: string | number) => {
    const units = inDollars ? unitsOfUsd(String(typed), quotaPerUnit) : Math.trunc(Number(typed));
    onChange(units ?? 0);
  };
  const other = inDollars
    ? t('part.quota.units', { count: value })
    : quotaText(value, { currency: true, quotaPerUnit });
  const toggleLabel = t(inDollars ? 'part.quota.useUnits' : 'part.quota.useDollars');
  return (
    <Stack gap={6}>
      <NumberInput
        allowDecimal
        {...input}
        label={label}
        key={inDollars ? 'dollars' : 'units'}
        value={inDollars ? Number(usdText(value, quotaPerUnit, 6)) : value}
        onChange={change}
        min={allowsNegative ? undefined : 0}
        decimalScale={inDollars ? 6 : 0}
        thousandSeparator=","
        prefix={inDollars ? '$' : ''}
        description={`= ${other}`}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        rightSectionWidth={36}
        rightSection={
          <ToolButton
            size={26}
            label={toggleLabel}
            onClick={() => setInDollars(!inDollars)}
            icon={inDollars ? IconStack2 : IconCurrencyDollar}
          />
        }
      />
      {picks.length > 0 && (
        <Picks
          label={label}
          picks={picks}
          value={value / quotaPerUnit}
          text={(usd) => `$${numberText(usd)}`}
          onPick={(usd) => onChange(usd * quotaPerUnit)}
          isDisabled={input.disabled}
        />
      )}
    </Stack>
  );
}
