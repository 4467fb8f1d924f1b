import { Controller, Get } from '@nestjs/common'

/** What else the application does goes on as ever. */
@Controller('health')
export class HealthController {
  @Get()
  health() {
    return { status: 'well' }
  }
}
