import { Anchor, Button, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { IconBrandAlipay, IconBrandWechat } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { quotaText } from '../../../../src/domain/pricing/quota-text.ts';
import { numberText } from '../../../../src/domain/text/number-text.ts';
import { SideButton } from '../../components/display/SideButton.tsx';
import { Form } from '../../components/forms/Form.tsx';
import { Picks } from '../../components/forms/Picks.tsx';
import { toast } from '../../components/layout/toasts.tsx';
import type { Status } from '../../lib/site/site-status.ts';
import { amountPicks, flooredAmount, leastAmount } from './amounts.ts';
import { Payable, usePayable } from './Payable.tsx';
import { PayDialog, type PaymentMethod, type Wanted } from './PayDialog.tsx';
import classes from './TopUp.module.css';

const METHODS = [
  { method: 'zfb', icon: <IconBrandAlipay size={20} color="#1677FF" aria-hidden /> },
  { method: 'wx', icon: <IconBrandWechat size={20} color="#07A35A" aria-hidden /> },
] as const satisfies readonly { method: PaymentMethod; icon: ReactNode }[];

interface TopUpFormProps {
  readonly rules: Status;
  /** The payment page was opened. */
  readonly onPaying: () => void;
}

export function TopUpForm({ rules, onPaying }: TopUpFormProps) {
  const { t } = useTranslation();
  const least = leastAmount(rules);
  const [amount, setAmount] = useState(least);
  const [code, setCode] = useState('');
  const [method, setMethod] = useState<PaymentMethod>('zfb');
  const [wanted, setWanted] = useState<Wanted | undefined>(undefined);
  const isEnough = amount >= least;
  const tooLittle = t('wallet.topUp.tooLittle', { least: numberText(least) });
  const payable = usePayable({ amount, code, isOn: isEnough });
  const submit = () => {
    if (!isEnough) return toast.error(tooLittle);
    setWanted({ amount, method, top_up_code: code.trim() });
  };
  return (
    <Form onSubmit={submit}>
      <Stack gap="sm">
        <AmountInput
          rules={rules}
          amount={amount}
          setAmount={setAmount}
          error={isEnough ? undefined : tooLittle}
        />
        <CodeInput code={code} setCode={setCode} />
        <Payable payable={payable} />
        <Group grow preventGrowOverflow={false} role="group" aria-label={t('wallet.topUp.method')}>
          {METHODS.map(({ method: name, icon }) => (
            <SideButton
              key={name}
              px="xs"
              aria-pressed={method === name}
              className={classes.method}
              leftSection={icon}
              label={t(`wallet.method.${name}`)}
              onClick={() => setMethod(name)}
            />
          ))}
        </Group>
        <Button type="submit" fullWidth>
          {t('wallet.topUp.submit')}
        </Button>
      </Stack>
      <PayDialog
        wanted={wanted}
        payable={payable}
        isCurrency={rules.display_in_currency}
        onClose={() => setWanted(undefined)}
        onPaying={onPaying}
      />
    </Form>
  );
}

interface AmountInputProps {
  readonly rules: Status;
  readonly amount: number;
  readonly setAmount: (amount: number) => void;
  readonly error: string | undefined;
}

function AmountInput({ rules, amount, setAmount, error }: AmountInputProps) {
  const { t } = useTranslation();
  const isCurrency = rules.display_in_currency;
  const label = t(isCurrency ? 'wallet.topUp.amount' : 'wallet.topUp.units');
  const style = { currency: isCurrency, quotaPerUnit: rules.quota_per_unit };
  return (
    <Stack gap={6}>
      <NumberInput
        label={label}
        prefix={isCurrency ? '$' : ''}
        thousandSeparator=","
        allowNegative={false}
        value={amount}
        error={error}
        onChange={(typed) => setAmount(flooredAmount(typed))}
        min={1}
      />
      <Picks
        label={label}
        picks={amountPicks(rules)}
        value={amount}
        text={(pick) => (isCurrency ? `$${pick}` : quotaText(pick, style))}
        onPick={setAmount}
      />
    </Stack>
  );
}

interface CodeInputProps {
  readonly code: string;
  readonly setCode: (code: string) => void;
}

/** Few users have a code, so its field is hidden by default. */
function CodeInput({ code, setCode }: CodeInputProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  if (!isOpen)
    return (
      <Text size="xs">
        <Anchor component="button" type="button" inherit onClick={() => setOpen(true)}>
          {t('wallet.topUp.hasCode')}
        </Anchor>
      </Text>
    );
  return (
    <TextInput
      label={t('wallet.topUp.code')}
      autoComplete="off"
      autoFocus
      value={code}
      onChange={(event) => setCode(event.currentTarget.value)}
    />
  );
}
