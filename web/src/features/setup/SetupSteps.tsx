import { Button, Group, Stack, Stepper } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { setupCalls } from '../../../../src/api/site/setup.ts';
import { SideButton } from '../../components/display/SideButton.tsx';
import { Form, ProblemNotice } from '../../components/forms/Form.tsx';
import { signedInUser } from '../../lib/api/account.ts';
import { ApiError, client } from '../../lib/api/api.ts';
import { useIsPhone } from '../../lib/display/screen.ts';
import { storeUser } from '../../lib/session/session.ts';
import {
  isStepValid,
  SETUP_STEPS,
  type SetupForm,
  type SetupState,
  type SetupStep,
  STEP_OF_FIELD,
  useSetupForm,
} from './form.ts';
import { AdminStep, DatabaseStep, ModeStep, ReviewStep } from './steps.tsx';

const setup = client({ run: setupCalls.run });

interface SetupStepsProps {
  readonly state: SetupState;
  /** From the link that was followed; empty without one. */
  readonly code: string;
  readonly onDone: () => void;
}

export function SetupSteps({ state, code, onDone }: SetupStepsProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  const form = useSetupForm(state, code);
  const steps = SETUP_STEPS.filter((step) => step !== 'admin' || !state.root_init);
  const [step, setStep] = useState<SetupStep>('database');
  const { isBusy, problem, send } = useSending(state, form, setStep, onDone);
  const index = steps.indexOf(step);
  const go = (next: number) => setStep(steps[next] ?? 'review');
  const forward = () => {
    if (!isStepValid(form, step)) return;
    if (step === 'review') void send();
    else go(index + 1);
  };
  return (
    <Form onSubmit={forward}>
      <Stepper
        active={index}
        size="sm"
        iconSize={28}
        onStepClick={(clicked) => clicked < index && go(clicked)}
        allowNextStepsSelect={false}
        mb="lg"
      >
        {steps.map((name, index) => (
          <Stepper.Step
            key={name}
            label={isPhone ? undefined : t(`setup.step.${name}`)}
            aria-label={isPhone ? `${index + 1} ${t(`setup.step.${name}`)}` : undefined}
          />
        ))}
      </Stepper>
      <Stack gap="md">
        <ProblemNotice problem={problem} title={t('setup.failed')} />
        {step === 'database' && <DatabaseStep state={state} form={form} />}
        {step === 'admin' && <AdminStep form={form} />}
        {step === 'mode' && <ModeStep form={form} />}
        {step === 'review' && <ReviewStep state={state} form={form} />}
        <Group gap="md" justify="space-between" mt="xs">
          <SideButton
            disabled={index === 0}
            label={t('setup.back')}
            onClick={() => go(index - 1)}
          />
          <Button type="submit" loading={isBusy}>
            {t(step === 'review' ? 'setup.submit' : 'setup.next')}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

function useSending(
  state: SetupState,
  form: SetupForm,
  setStep: (step: SetupStep) => void,
  onDone: () => void,
) {
  const cache = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(undefined);
  const send = async () => {
    const { mode, code, trust_proxy, ...account } = form.getValues();
    setBusy(true);
    setProblem(undefined);
    try {
      await setup.run({
        ...account,
        SelfUseModeEnabled: mode === 'self',
        DemoSiteEnabled: mode === 'demo',
        trust_proxy,
        ...(state.code_needed && { code: code.trim() }),
      });
      // An administrator of before is not signed in; the next page asks for it.
      const user = state.root_init ? undefined : await signedInUser().catch(() => undefined);
      if (user !== undefined) storeUser(user);
      onDone();
      await cache.invalidateQueries({ queryKey: ['status'] });
    } catch (error) {
      setProblem(error);
      const step = error instanceof ApiError ? STEP_OF_FIELD[error.param ?? ''] : undefined;
      if (step !== undefined) setStep(step);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, problem, send };
}
