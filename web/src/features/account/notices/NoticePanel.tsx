import {
  Anchor,
  Button,
  Checkbox,
  Chip,
  Code,
  Collapse,
  Group,
  PasswordInput,
  Radio,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  isPostKind,
  NOTIFY_KINDS,
  POST_KINDS,
  type PostKind,
} from '../../../../../src/domain/notification-kinds.ts';
import { quotaText } from '../../../../../src/domain/pricing/quota-text.ts';
import { Notice } from '../../../components/display/Notice.tsx';
import { fieldErrors } from '../../../components/forms/field-errors.ts';
import { QuotaInput } from '../../../components/forms/QuotaInput.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { useFilledForm } from '../../../hooks/useFilledForm.ts';
import { account, type Self } from '../../../lib/api/account.ts';
import { selfKeys } from '../../../lib/api/query-keys.ts';
import { useQuotaStyle } from '../../../lib/pricing/quota-format.ts';
import { notices } from '../calls.ts';
import {
  type NoticeValues,
  noticeInput,
  noticeProblems,
  noticeValues,
  THRESHOLDS,
} from './account-settings.ts';
import { SaveRow } from './SaveRow.tsx';

type NoticeForm = UseFormReturnType<NoticeValues>;

/** @param self undefined while loading: the form is then shown disabled. */
export function NoticePanel({ self }: { readonly self: Self | undefined }) {
  const { t } = useTranslation();
  const form = useForm<NoticeValues>({
    initialValues: noticeValues(undefined),
    validate: (values) =>
      fieldErrors(noticeProblems(values), (problem) => t(`account.error.${problem}`)),
  });
  useFilledForm(form, self && `${self.setting} ${self.has_webhook_secret}`, () =>
    noticeValues(self?.setting),
  );
  const save = useAction((values: NoticeValues) => account.changeSetting(noticeInput(values)), {
    touches: [selfKeys],
    done: () => t('account.saved'),
    isQuiet: true,
  });
  const kind = form.getValues().notify_type;
  return (
    <Stack gap="md">
      <fieldset disabled={self === undefined} style={{ border: 0, margin: 0, padding: 0 }}>
        <Stack gap="md">
          <Radio.Group {...form.getInputProps('notify_type')} label={t('account.notice.by')}>
            <Group gap="sm" mt={6}>
              {NOTIFY_KINDS.map((kind) => (
                <Radio key={kind} value={kind} label={t(`account.notice.kind.${kind}`)} />
              ))}
            </Group>
          </Radio.Group>
          <Threshold form={form} balance={self?.quota} />
          {isPostKind(kind) && (
            <Address form={form} kind={kind} hasSecret={self?.has_webhook_secret === true} />
          )}
          {kind === 'email' && (
            <TextInput
              {...form.getInputProps('notification_email')}
              type="email"
              label={t('account.notice.address')}
              description={t('account.notice.addressHint')}
              placeholder={self?.email ?? ''}
            />
          )}
        </Stack>
      </fieldset>
      <Text size="xs" c="dimmed">
        {t('account.notice.often')}
      </Text>
      <SaveRow form={form} onSave={save.mutateAsync} extra={<Try isOff={form.isDirty()} />} />
    </Stack>
  );
}

interface ThresholdProps {
  readonly form: NoticeForm;
  /** Units; undefined while loading. */
  readonly balance: number | undefined;
}

function Threshold({ form, balance }: ThresholdProps) {
  const { t } = useTranslation();
  const { quotaPerUnit } = useQuotaStyle();
  const value = form.getValues().quota_warning_threshold;
  return (
    <Stack gap={6}>
      <QuotaInput
        label={t('account.notice.threshold')}
        value={value}
        error={form.errors.quota_warning_threshold}
        onChange={(units) => form.setFieldValue('quota_warning_threshold', units)}
      />
      <Group gap={6}>
        {THRESHOLDS.map((units) => (
          <Chip
            key={units}
            size="xs"
            checked={value === units}
            onChange={() => form.setFieldValue('quota_warning_threshold', units)}
          >
            {quotaText(units, { currency: true, quotaPerUnit })}
          </Chip>
        ))}
      </Group>
      {balance !== undefined && balance < value && (
        <Notice tone="yellow" action={<Try isOff={form.isDirty()} text="account.notice.now" />}>
          {t('account.notice.below')}
        </Notice>
      )}
    </Stack>
  );
}

interface AddressProps {
  readonly form: NoticeForm;
  readonly kind: PostKind;
  readonly hasSecret: boolean;
}

function Address({ form, kind, hasSecret }: AddressProps) {
  const { t } = useTranslation();
  const { example, isSigned } = POST_KINDS[kind];
  const isWebhook = kind === 'webhook';
  return (
    <>
      <TextInput
        {...form.getInputProps('webhook_url')}
        type="url"
        label={t(isWebhook ? 'account.notice.url' : 'account.notice.serviceUrl')}
        description={t(isWebhook ? 'account.notice.urlHint' : 'account.notice.serviceUrlHint')}
        placeholder={example}
      />
      {isSigned && (
        <Secret
          form={form}
          hasSecret={hasSecret}
          hint={t(isWebhook ? 'account.notice.secretHint' : 'account.notice.serviceSecretHint')}
        />
      )}
      {isWebhook && <Example />}
    </>
  );
}

interface SecretProps {
  readonly form: NoticeForm;
  readonly hasSecret: boolean;
  readonly hint: string;
}

function Secret({ form, hasSecret, hint }: SecretProps) {
  const { t } = useTranslation();
  const { drops_secret } = form.getValues();
  return (
    <Stack gap="xs">
      <PasswordInput
        {...form.getInputProps('webhook_secret')}
        label={t('account.notice.secret')}
        description={hint}
        placeholder={hasSecret ? t('account.notice.secretKept') : ''}
        disabled={drops_secret}
        autoComplete="off"
      />
      {hasSecret && (
        <Checkbox
          {...form.getInputProps('drops_secret', { type: 'checkbox' })}
          label={t('account.notice.dropSecret')}
        />
      )}
    </Stack>
  );
}

const BODY = `POST /notify
Authorization: Bearer <secret>
X-Webhook-Signature: <HMAC-SHA256(body, secret), hex>
Content-Type: application/json

{
  "type": "quota_exceed",
  "title": "Quota is running low",
  "content": "{{value}} is left. Top up: {{value}}",
  "values": ["$0.98", "https://example.com/app/wallet"],
  "timestamp": 1795000000
}`;

function Example() {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <div>
      <Anchor
        component="button"
        type="button"
        size="sm"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {t(isOpen ? 'account.notice.hideExample' : 'account.notice.showExample')}
      </Anchor>
      <Collapse expanded={isOpen}>
        <Code
          block
          mt="xs"
          fz={12}
          tabIndex={isOpen ? 0 : -1}
          aria-label={t('account.notice.example')}
          style={{ overflowX: 'auto' }}
        >
          {BODY}
        </Code>
        <Text size="xs" c="dimmed" mt={4}>
          {t('account.notice.exampleHint', { placeholder: '{{value}}' })}
        </Text>
      </Collapse>
    </div>
  );
}

interface TryProps {
  readonly isOff: boolean;
  readonly text?: 'account.notice.test' | 'account.notice.now';
}

/** Sends a test with the saved settings, not the edited ones. */
function Try({ isOff, text = 'account.notice.test' }: TryProps) {
  const { t } = useTranslation();
  const send = useAction(() => notices.test({}), {
    done: ({ sent_to }) => t('account.notice.sent', { by: t(`account.notice.kind.${sent_to}`) }),
  });
  return (
    <Button
      variant="default"
      leftSection={<IconSend size={16} />}
      disabled={isOff}
      loading={send.isPending}
      onClick={() => send.mutate(undefined)}
    >
      {t(text)}
    </Button>
  );
}
