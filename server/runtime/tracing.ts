import 'server-only';
import type * as Sdk from '@opentelemetry/sdk-trace';
import type { Logger } from '@/server/shared/log';
import { setTracer } from '@/server/shared/traced';
import { version } from '@/server/shared/version';

/** A collector that does not respond must not keep the process from its end. */
const FLUSH_TIMEOUT_MS = 1_000;
const REASON_CHARS_MAX = 300;

type Env = Readonly<Record<string, string | undefined>>;

/** Ends within a second; spans that a collector has not accepted by then are lost. */
interface Tracing {
  stop(): Promise<void>;
}

/**
 * Sends traces where `OTEL_EXPORTER_OTLP_ENDPOINT` is set; elsewhere no part of the SDK is loaded. The exporter reads the
 * other variables of OTLP by itself.
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export async function startTracing(env: Env, log: Logger): Promise<Tracing | null> {
  if (!env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return null;
  const [api, sdk, resources, core, { AsyncLocalStorageContextManager }, { OTLPTraceExporter }] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/core'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ]);
  const report = (reason: string) =>
    log.warn('traces could not be sent', { reason: reason.slice(0, REASON_CHARS_MAX) });
  const ignore = () => undefined;
  api.diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  api.propagation.setGlobalPropagator(new core.W3CTraceContextPropagator());
  const processor = new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter() });
  const own = resources.resourceFromAttributes({ 'service.name': 'shiplog', 'service.version': version });
  const provider = new sdk.TracerProvider({
    resource: own.merge(resources.detectResources({ detectors: [resources.envDetector] })),
    sampler: samplerOf(env, sdk, log),
    spanProcessors: [processor],
  });
  setTracer(provider.getTracer('shiplog', version));
  return {
    stop: async () => {
      setTracer(undefined);
      const timeout = new Promise<void>((resolve) => setTimeout(resolve, FLUSH_TIMEOUT_MS).unref());
      await Promise.race([provider.shutdown().catch(ignore), timeout]);
      api.context.disable();
      api.propagation.disable();
      api.diag.disable();
    },
  };
}

/** `OTEL_TRACES_SAMPLER` and its argument, which the SDK reads only with automatic instrumentation. */
function samplerOf(
  { OTEL_TRACES_SAMPLER: name = 'parentbased_always_on', OTEL_TRACES_SAMPLER_ARG: argument }: Env,
  sdk: typeof Sdk,
  log: Logger,
): Sdk.Sampler {
  const ratio = argument ? Number(argument) : 1;
  const roots: Readonly<Record<string, () => Sdk.Sampler>> = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(ratio),
  };
  const root = ratio >= 0 && ratio <= 1 ? roots[name.replace(/^parentbased_/, '')] : undefined;
  if (root === undefined) log.warn('OTEL_TRACES_SAMPLER or its argument is invalid; every trace is sent');
  const sampler = root?.() ?? new sdk.AlwaysOnSampler();
  return name.startsWith('parentbased_') ? new sdk.ParentBasedSampler({ root: sampler }) : sampler;
}
